import { JSDOM } from 'jsdom'

const mermaid = await loadMermaid()
const maxNodes = 12

/** Problems of a `mermaid` block: it is a flowchart or a state diagram, parses, and has at most a dozen nodes. */
export async function problemsOfDiagram(text) {
  try {
    await mermaid.parse(text)
    const { db } = await mermaid.mermaidAPI.getDiagramFromText(text)
    const nodes = db.getStates?.() ?? db.getVertices?.()
    if (nodes === undefined) return ['this is neither a flowchart nor a state diagram']
    return nodes.size > maxNodes ? [`this diagram has ${nodes.size} nodes, at most ${maxNodes}`] : []
  } catch (error) {
    return [`this diagram does not parse: ${String(error.message).split('\n', 1)[0]}`]
  }
}

/** While it loads, Mermaid looks for a document, with which DOMPurify cleans labels. */
async function loadMermaid() {
  globalThis.window = new JSDOM('').window
  try {
    return (await import('mermaid')).default
  } finally {
    delete globalThis.window
  }
}

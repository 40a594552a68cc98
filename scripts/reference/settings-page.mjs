// Pages of the server's settings, from the table in apps/reference-server/src/settings.ts.

const note = '<!-- Written by `npm run reference` from apps/reference-server/src/settings.ts. Change that file. -->'

const defaultOf = ({ fallback }) => (fallback === null ? '' : `\`${fallback}\``)

/** A page with one table for each group of settings. */
export function settingsPage(groups) {
  const tables = groups.map(([title, group]) => {
    const rows = Object.entries(group).map(
      ([name, setting]) => `| \`${name}\` | ${defaultOf(setting)} | ${inTable(setting.text)} |`,
    )
    return [`## ${title}`, ['| setting | default | meaning |', '| --- | --- | --- |', ...rows].join('\n')].join('\n\n')
  })
  const intro =
    'Every setting is an environment variable. [.env.example](../../apps/reference-server/.env.example) lists the same settings. A setting without a fixed default says what the server does without it.'
  return [note, '# Settings of the server', intro, ...tables].join('\n\n')
}

const inTable = (text) => text.replaceAll('|', '\\|').replaceAll('<', '\\<')

const width = 120

/** `.env.example`: each setting with its default or, behind a #, an example. */
export function envExample(groups) {
  const header = comment(
    'Settings of the reference server. All are optional for local development. Each line shows the default or, behind a #, an example. The server reports all problems together at the start, by name. Written by `npm run reference` from src/settings.ts.',
  )
  const parts = groups.map(([, group]) =>
    Object.entries(group)
      .map(([name, { text, fallback, example }]) => {
        const line = fallback === null ? `#${name}=${example}` : `${name}=${fallback}`
        return `${comment(text)}\n${line}`
      })
      .join('\n'),
  )
  return [header, ...parts].join('\n\n')
}

function comment(text) {
  const lines = ['#']
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`
    if (longer.length <= width) lines[lines.length - 1] = longer
    else lines.push(`# ${word}`)
  }
  return lines.join('\n')
}

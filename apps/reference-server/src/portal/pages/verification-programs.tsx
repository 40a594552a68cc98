import type { FC } from 'hono/jsx'
import java from '../../../../../examples/verify/Verify.java?raw'
import go from '../../../../../examples/verify/verify.go?raw'
import node from '../../../../../examples/verify/verify.node.mjs?raw'
import php from '../../../../../examples/verify/verify.php?raw'
import python from '../../../../../examples/verify/verify.py?raw'
import ruby from '../../../../../examples/verify/verify.rb?raw'
import { CopyBlock } from './components.js'

const programs = [
  ['Node.js', 'node', node],
  ['Python', 'python', python],
  ['Ruby', 'ruby', ruby],
  ['PHP', 'php', php],
  ['Go', 'go', go],
  ['Java', 'java', java],
] as const

/** Renders how a receiver verifies a signature, in six languages. */
export const VerificationPrograms: FC = () => (
  <section aria-labelledby="verify">
    <h2 id="verify">Verify the signature</h2>
    <p class="hint">
      <code>X-HMAC-Signature</code> is the HMAC-SHA-256 of the exact bytes of the body under your API key, in lower-case
      hexadecimal. Verify the bytes before anything parses them.
    </p>
    {programs.map(([name, id, text]) => (
      <details>
        <summary>{name}</summary>
        <CopyBlock id={`verify-${id}`} label={`Verification in ${name}`} text={text} />
      </details>
    ))}
  </section>
)

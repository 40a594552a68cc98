import type { FC } from 'hono/jsx'
import { HtmlDocument } from './document.js'

/** Renders a failure, with a link back. */
export const ProblemPage: FC<{ readonly title: string; readonly text: string; readonly requestId: string }> = ({
  title,
  text,
  requestId,
}) => (
  <HtmlDocument title={title}>
    <div class="alone">
      <main>
        <header>
          <span class="wordmark">kyc-relay</span>
          <h1>{title}</h1>
        </header>
        <p>{text}</p>
        <p>
          <a class="button" href="/portal">
            Back to the portal
          </a>
        </p>
        <p class="hint">
          Request <code>{requestId}</code>
        </p>
      </main>
    </div>
  </HtmlDocument>
)

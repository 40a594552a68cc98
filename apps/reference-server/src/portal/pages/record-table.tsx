import type { Child, FC } from 'hono/jsx'

/** One column of a {@link RecordTable}. */
export interface Column {
  readonly label: string
  /** True for the column that names its row. */
  readonly heads?: true
  /** True if only screen readers need the label. */
  readonly hidden?: true
  readonly class?: 'url'
}

/**
 * Renders records as rows. On a narrow screen, each row becomes a block with labels and values, so that no column is
 * hidden. The ARIA roles keep it a table for screen readers.
 */
export const RecordTable: FC<{
  readonly label: string
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Child[])[]
}> = ({ label, columns, rows }) => (
  <div class="scroll" role="region" aria-label={label} tabindex={0}>
    <table class="records" role="table">
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <th scope="col" role="columnheader">
              {column.hidden ? <span class="visually-hidden">{column.label}</span> : column.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((cells) => (
          <tr role="row">
            {columns.map((column, index) => {
              const shown = column.hidden ? undefined : column.label
              const content = <div>{cells[index]}</div>
              return column.heads ? (
                <th scope="row" role="rowheader" class={column.class} data-label={shown}>
                  {content}
                </th>
              ) : (
                <td role="cell" class={column.class} data-label={shown}>
                  {content}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

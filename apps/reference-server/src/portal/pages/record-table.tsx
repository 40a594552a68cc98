import type { Child, FC } from 'hono/jsx'

/** One column of a {@link RecordTable}. */
export interface Column {
  readonly label: string
  /** Names its row. */
  readonly heads?: true
  /** The label is for those who do not see the table. */
  readonly hidden?: true
  readonly class?: 'url'
}

/**
 * Records as rows. Where the screen is too narrow for the columns, each row becomes a block with the labels beside the
 * values: nothing is out of sight to the right. The roles keep it a table for those who hear it.
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

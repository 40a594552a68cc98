const rowHeight = 26
const labelWidth = 330
const barWidth = 400
const valueWidth = 110
const top = 34

const escaped = (text) =>
  String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const shown = (value) => Number(value.toPrecision(4)).toLocaleString('en-US')

/** An SVG of horizontal bars, longest value at full width. `lowest` and `highest` draw the spread of a bar. */
export function barPlot({ title, bars }) {
  const most = Math.max(...bars.map(({ value, highest = 0 }) => Math.max(value, highest)), Number.MIN_VALUE)
  const x = (value) => labelWidth + (value / most) * barWidth
  const rows = bars.map(({ label, value, lowest, highest }, index) => {
    const y = top + index * rowHeight
    const middle = y + rowHeight / 2 - 3
    const spread =
      lowest === undefined || highest === undefined
        ? ''
        : `<path d="M${x(lowest).toFixed(1)} ${middle}H${x(highest).toFixed(1)}" stroke="#1f2937" stroke-width="2"/>`
    return [
      `<text x="${labelWidth - 8}" y="${middle + 4}" text-anchor="end">${escaped(label)}</text>`,
      `<rect x="${labelWidth}" y="${y}" width="${(x(value) - labelWidth).toFixed(1)}" height="${rowHeight - 6}" fill="#60a5fa"/>`,
      spread,
      `<text x="${labelWidth + barWidth + 8}" y="${middle + 4}">${escaped(shown(value))}</text>`,
    ].join('')
  })
  const width = labelWidth + barWidth + valueWidth
  const height = top + bars.length * rowHeight + 8
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12">
<rect width="${width}" height="${height}" fill="#ffffff"/>
<text x="8" y="20" font-size="14" font-weight="bold">${escaped(title)}</text>
${rows.join('\n')}
</svg>
`
}

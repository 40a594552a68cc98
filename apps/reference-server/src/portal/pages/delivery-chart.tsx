import type { FC } from 'hono/jsx'
import type { DeliveryHour } from '../attempt-counts.js'
import { hourText } from '../format.js'

/**
 * Units of the drawing, which is stretched to the available width. Its texts are outside because they must not be
 * stretched.
 */
const height = 100
const step = 10
const width = 24 * step
const barWidth = 7

const series = [
  ['failed', 'bad', 'Failed'],
  ['retried', 'warn', 'With retries'],
  ['delivered', 'good', 'At once'],
] as const

/** Renders the last 24 hours as stacked bars, one per hour, and as a table. */
export const DeliveryChart: FC<{ readonly day: readonly DeliveryHour[] }> = ({ day }) => {
  const totals = (name: 'delivered' | 'retried' | 'failed') => day.reduce((sum, hour) => sum + hour[name], 0)
  const highest = niceCeiling(Math.max(...day.map(totalOf)))
  const scale = height / highest
  if (day.every((hour) => totalOf(hour) === 0)) {
    return (
      <section aria-labelledby="chart-title">
        <h2 id="chart-title">The last 24 hours</h2>
        <p class="hint">No delivery ended.</p>
      </section>
    )
  }
  return (
    <figure class="chart" aria-labelledby="chart-title">
      <figcaption>
        <h2 id="chart-title">The last 24 hours</h2>
        <div class="legend">
          {[...series].reverse().map(([name, tone, label]) => (
            <span>
              <svg viewBox="0 0 10 10" aria-hidden="true">
                <rect width="10" height="10" rx="2" class={tone} />
              </svg>
              {label} <b>{totals(name)}</b>
            </span>
          ))}
        </div>
      </figcaption>
      <div class="plot">
        <div class="heights" aria-hidden="true">
          {[highest, highest / 2, 0].map((value) => (
            <span>{value}</span>
          ))}
        </div>
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={summary(day)}>
          {[0, height / 2].map((at) => (
            <line class="grid" x1={0} x2={width} y1={at} y2={at} />
          ))}
          {day.map((hour, index) => (
            <g>
              <title>{`${hourText(hour.from)} UTC: ${hour.delivered} at once, ${hour.retried} with retries, ${hour.failed} failed`}</title>
              <rect x={index * step} y={0} width={step} height={height} fill="transparent" />
              <Bars hour={hour} x={index * step + (step - barWidth) / 2} scale={scale} />
            </g>
          ))}
          <line class="axis" x1={0} x2={width} y1={height} y2={height} />
        </svg>
        <div class="hours" aria-hidden="true">
          {day.map((hour, index) => (index % 6 === 5 ? <span>{hourText(hour.from)}</span> : null))}
        </div>
      </div>
      <details>
        <summary class="hint">The same as a table (hours in UTC)</summary>
        <div class="scroll" role="region" aria-label="Deliveries by hour" tabindex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Hour</th>
                {[...series].reverse().map(([, , label]) => (
                  <th scope="col">{label}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {day.map((hour) => (
                <tr>
                  <th scope="row">{hourText(hour.from)}</th>
                  <td>{hour.delivered}</td>
                  <td>{hour.retried}</td>
                  <td>{hour.failed}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}

const Bars: FC<{ readonly hour: DeliveryHour; readonly x: number; readonly scale: number }> = ({ hour, x, scale }) => {
  let bottom = height
  return (
    <>
      {series.map(([name, tone]) => {
        if (hour[name] === 0) return null
        // A single failure among thousands must be visible.
        const barHeight = Math.max(2, hour[name] * scale)
        bottom -= barHeight
        return <rect class={tone} x={x} y={round(bottom)} width={round(barWidth)} height={round(barHeight)} />
      })}
    </>
  )
}

const totalOf = (hour: DeliveryHour) => hour.delivered + hour.retried + hour.failed
const round = (value: number) => Math.round(value * 100) / 100

/** Rounds up to 4, 10, 20, 40, 100 and so on. */
function niceCeiling(value: number): number {
  let unit = 1
  for (;;) {
    for (const factor of [4, 10, 20]) if (factor * unit >= value) return factor * unit
    unit *= 10
  }
}

function summary(hours: readonly DeliveryHour[]): string {
  const busy = hours.filter((hour) => totalOf(hour) > 0).length
  return `Deliveries by hour; there were some in ${busy} of 24 hours. The table below has every number.`
}

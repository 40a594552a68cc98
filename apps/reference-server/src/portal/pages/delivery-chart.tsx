import type { FC } from 'hono/jsx'
import type { DeliveryDay, DeliveryHour } from '../delivery-day.js'
import { hourText } from '../words.js'

const width = 720
const height = 132
const baseline = 108
const left = 34
const top = 6
const step = (width - left) / 24
const barWidth = step - 6

const series = [
  ['failed', 'bad', 'Failed'],
  ['retried', 'warn', 'Needed retries'],
  ['delivered', 'good', 'Delivered at once'],
] as const

/** The last day as stacked bars, one per hour, with the same numbers as a table. */
export const DeliveryChart: FC<{ readonly day: DeliveryDay }> = ({ day }) => {
  const totals = (name: 'delivered' | 'retried' | 'failed') => day.hours.reduce((sum, hour) => sum + hour[name], 0)
  const highest = niceCeiling(Math.max(...day.hours.map(totalOf)))
  const scale = (baseline - top) / highest
  if (day.hours.every((hour) => totalOf(hour) === 0)) {
    return (
      <section aria-labelledby="chart-title">
        <h2 id="chart-title">The last 24 hours</h2>
        <p class="hint">Nothing was delivered, retried or failed.</p>
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
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={summary(day)}>
        {[highest, highest / 2].filter(Number.isInteger).map((value) => (
          <>
            <line class="grid" x1={left} x2={width} y1={y(value)} y2={y(value)} />
            <text x={left - 8} y={y(value) + 4} text-anchor="end">
              {value}
            </text>
          </>
        ))}
        {day.hours.map((hour, index) => (
          <g>
            <title>{`${hourText(hour.from)} UTC: ${hour.delivered} at once, ${hour.retried} with retries, ${hour.failed} failed`}</title>
            <rect x={left + index * step} y={top} width={step} height={baseline - top} fill="transparent" />
            <Bars hour={hour} x={left + index * step + 3} scale={scale} />
          </g>
        ))}
        <line class="axis" x1={left} x2={width} y1={baseline + 0.5} y2={baseline + 0.5} />
        {day.hours.map((hour, index) =>
          index % 6 === 5 ? (
            <text x={left + index * step + step / 2} y={height - 6} text-anchor="middle">
              {hourText(hour.from)}
            </text>
          ) : null,
        )}
      </svg>
      {day.incomplete ? (
        <p class="hint">More was sent than is counted here; the earliest hours are incomplete.</p>
      ) : null}
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
              {day.hours.map((hour) => (
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

  function y(value: number): number {
    return baseline - value * scale
  }
}

const Bars: FC<{ readonly hour: DeliveryHour; readonly x: number; readonly scale: number }> = ({ hour, x, scale }) => {
  let bottom = baseline
  return (
    <>
      {series.map(([name, tone]) => {
        if (hour[name] === 0) return null
        // One failure among thousands must still be seen.
        const barHeight = Math.max(2, hour[name] * scale)
        bottom -= barHeight
        return <rect class={tone} x={x} y={round(bottom)} width={round(barWidth)} height={round(barHeight)} rx="1.5" />
      })}
    </>
  )
}

const totalOf = (hour: DeliveryHour) => hour.delivered + hour.retried + hour.failed
const round = (value: number) => Math.round(value * 100) / 100

/** 4, 10, 20, 40, 100, …: a round number that is no less. */
function niceCeiling(value: number): number {
  let unit = 1
  for (;;) {
    for (const factor of [4, 10, 20]) if (factor * unit >= value) return factor * unit
    unit *= 10
  }
}

function summary({ hours }: DeliveryDay): string {
  const busy = hours.filter((hour) => totalOf(hour) > 0).length
  return `Deliveries by hour; there were some in ${busy} of 24 hours. The table below has every number.`
}

// Adds copying, local and relative time, and automatic refresh. Every page works without JavaScript.
export const script = String.raw`'use strict'
const steps = [['second', 60], ['minute', 60], ['hour', 24], ['day', Infinity]]
const ago = (ms) => {
  let count = Math.round(ms / 1000)
  for (const [unit, next] of steps) {
    if (Math.abs(count) < next) return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(count, unit)
    count = Math.round(count / next)
  }
}
// The title has local time and UTC.
const tellTimes = (part) => {
  for (const time of part.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime)
    if (Number.isNaN(at.getTime())) continue
    const utc = at.toISOString().replace('T', ' ').slice(0, 19)
    time.title = at.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' }) + ' (' + utc + ' UTC)'
    if (time.dataset.relative !== undefined) time.textContent = ago(at.getTime() - Date.now())
  }
}
tellTimes(document)
for (const button of document.querySelectorAll('button[data-copy]')) {
  const source = document.getElementById(button.dataset.copy)
  if (!source || !navigator.clipboard) continue
  const label = button.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.textContent)
      button.textContent = 'Copied'
    } catch {
      getSelection().selectAllChildren(source)
      button.textContent = 'Selected: copy it now'
    }
    setTimeout(() => (button.textContent = label), 2000)
  })
}
// A form goes out once: a second click within ten seconds, while the answer is on its way, does nothing.
const sent = new WeakMap()
document.addEventListener('submit', (event) => {
  if (event.target.method !== 'post') return
  if (Date.now() - sent.get(event.target) < 10000) event.preventDefault()
  else sent.set(event.target, Date.now())
})
addEventListener('pageshow', (event) => {
  if (event.persisted) for (const form of document.forms) sent.delete(form)
})
// A page with a pending delivery refreshes itself, and so does the log. Nobody loses their place: not while the page has the
// focus of a user or a screen reader, while a row is selected, or while the page is scrolled down.
const refresh = document.querySelector('[data-refresh]')
if (refresh) {
  let looks = 0
  // As the server sent it: the page has local times instead.
  let shown = ''
  const look = async () => {
    looks += 1
    if (looks > 60) return
    const main = document.querySelector('main')
    const region = document.querySelector('[data-live]')
    const isScrolled = region.getBoundingClientRect().top < 0
    const isBusy = isScrolled || region.querySelector(':checked') || main.contains(document.activeElement)
    if (!document.hidden && !isBusy) {
      const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null)
      if (answer && answer.ok && !answer.redirected) {
        const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
        const goesOn = fresh.querySelector('[data-refresh]')
        const now = fresh.querySelector('[data-live]')
        if (now && shown !== now.innerHTML) {
          shown = region.innerHTML = now.innerHTML
          tellTimes(region)
          // What can be done with an ended delivery stands beside the title.
          main.querySelector('.title').innerHTML = fresh.querySelector('main .title').innerHTML
        }
        if (!goesOn) return
      }
    }
    setTimeout(look, Math.min(1500 + looks * 250, 10000))
  }
  setTimeout(look, 1500)
}
`

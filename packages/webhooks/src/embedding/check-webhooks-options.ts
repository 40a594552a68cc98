import { checkOptions } from '../delivery/check-options.js'
import { checkWorkerOptions } from '../delivery/worker-options.js'
import type { DeliveryWorkerObserver } from '../delivery/worker-observer.js'
import { policyNames, wrongSettings } from '../https/endpoint-url.js'
import type { InsertedNowOrLater, WebhooksOptions } from './webhooks-options.js'

type CheckedOptions = Omit<WebhooksOptions<never, InsertedNowOrLater>, 'eventTypes'> & {
  readonly eventTypes?: unknown
}

const names = {
  storage: true,
  grants: true,
  signingKeys: true,
  eventTypes: true,
  urls: true,
  send: true,
  openHeaders: true,
  bodySealer: true,
  retention: true,
  deduplicate: true,
  worker: true,
  observe: true,
  onProblem: true,
  newId: true,
  now: true,
  random: true,
  timers: true,
} as const satisfies Record<keyof CheckedOptions, true>

const callbackNames = ['onResultWritten', 'onClaimed', 'onEndpointHealthChanged'] as const

/** @throws WebhookError `OPTIONS_INVALID` */
export function checkWebhooksOptions(given: CheckedOptions | null | undefined): void {
  const options = given ?? ({} as CheckedOptions)
  const check = checkOptions()
  const { port, callback, clock, range, only, rule, settings, end } = check
  const { storage, grants, signingKeys, retention, urls, observe } = options
  port('storage', storage, ['insertEvent'])
  const stored = storage as Partial<typeof storage> | null | undefined
  port('storage.webhooks', stored?.webhooks, ['registerEndpoint', 'listEndpoints', 'insertEvent', 'claimDue'])
  port('grants', grants, ['find'])
  port('signingKeys', signingKeys, ['current'])
  if (options.bodySealer !== undefined) port('bodySealer', options.bodySealer, ['seal', 'open'])
  if (options.deduplicate !== undefined) port('deduplicate', options.deduplicate, ['forget'])
  if (options.timers !== undefined) port('timers', options.timers, ['monotonicMs', 'schedule'])
  for (const name of ['observe', 'eventTypes'] as const) if (options[name] !== undefined) port(name, options[name], [])
  checkWorkerOptions(check, 'worker', options.worker)
  const ages = settings('retention', retention === false ? {} : retention, ['bodyAgeMs', 'attemptAgeMs'])
  for (const name of ['bodyAgeMs', 'attemptAgeMs'] as const) range(`retention.${name}`, ages[name], 0)
  for (const name of wrongSettings(settings('urls', urls, policyNames))) rule(`urls.${name}`, false)
  if (typeof observe === 'object' && observe !== null) {
    for (const name of callbackNames) if (observe[name] !== undefined) callback(`observe.${name}`, observe[name])
    // An observer of a class may have members of its own.
    if (Object.getPrototypeOf(observe) === Object.prototype) only('observe', observe, callbackNames)
  }
  for (const name of ['send', 'openHeaders', 'onProblem', 'newId', 'random'] as const)
    if (options[name] !== undefined) callback(name, options[name])
  if (options.now !== undefined) clock('now', options.now)
  only(null, options, Object.keys(names))
  end()
}

/** The callbacks of an observer, called on it: it may be an object of a class. */
export function callbacksOf(observe: WebhooksOptions<never, InsertedNowOrLater>['observe']): DeliveryWorkerObserver {
  return {
    onResultWritten: (event) => observe?.onResultWritten?.(event),
    onClaimed: (event) => observe?.onClaimed?.(event),
    onEndpointHealthChanged: (change) => observe?.onEndpointHealthChanged?.(change),
  }
}

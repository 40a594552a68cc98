/** Who signed in: a partner's app with its key, or an operator. */
export const sessionKinds = ['app', 'operator'] as const

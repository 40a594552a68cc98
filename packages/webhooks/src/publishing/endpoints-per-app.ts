/** Most endpoints of one app. */
export const endpointsPerApp = 50

/** Key of an endpoint for maps and sets. No text of PostgreSQL holds the separator. */
export const endpointKey = ({ appId, endpointId }: { readonly appId: string; readonly endpointId: string }) =>
  `${appId}\0${endpointId}`

/** Key of a delivery for maps and sets. */
export const deliveryKey = ({ appId, deliveryId }: { readonly appId: string; readonly deliveryId: string }) =>
  `${appId}\0${deliveryId}`

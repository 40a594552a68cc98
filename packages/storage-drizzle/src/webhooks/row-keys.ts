/** Key of an endpoint for maps and sets. */
export const endpointKey = ({ appId, endpointId }: { readonly appId: string; readonly endpointId: string }) =>
  JSON.stringify([appId, endpointId])

/** Key of a delivery for maps and sets. */
export const deliveryKey = ({ appId, deliveryId }: { readonly appId: string; readonly deliveryId: string }) =>
  JSON.stringify([appId, deliveryId])

import { StorageError } from './storage-error.js'

/** @throws `ARGUMENT_INVALID` for an id that is no text. It would find no rows, and the answer would be that of a new user. */
export function checkedId(id: string): string {
  if (typeof id !== 'string') throw new StorageError('ARGUMENT_INVALID')
  return id
}

/** Checks that an erasure or a cancellation names an app and a user. @throws `ARGUMENT_INVALID` */
export function checkedOwner<Owner extends { readonly appId: string; readonly userId: string }>(owner: Owner): Owner {
  checkedId(owner.appId)
  checkedId(owner.userId)
  return owner
}

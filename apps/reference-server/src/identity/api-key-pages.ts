import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import type { ApiKeyRow } from '@kyc-relay/storage-drizzle/internal'

const pageSize = 200

/** Reads every API key that is not retired, in pages. */
export async function* pagesOfApiKeys(
  directory: Pick<AppDirectory, 'pageApiKeys'>,
  now: () => Date,
): AsyncGenerator<readonly ApiKeyRow[]> {
  let after: ApiKeyRow | undefined
  for (;;) {
    const page = await directory.pageApiKeys({
      now: now(),
      limit: pageSize,
      ...(after === undefined ? {} : { after }),
    })
    if (page.length > 0) yield page
    if (page.length < pageSize) return
    after = page.at(-1)
  }
}

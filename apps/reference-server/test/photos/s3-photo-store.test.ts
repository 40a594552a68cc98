import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createS3PhotoStore } from '../../src/photos/s3-photo-store.js'

const address = { owner: { appId: 'app', userId: 'user' }, photoJobId: 'photo' }

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const storeAt = (endpoint: string, timeoutMs?: number) =>
  createS3PhotoStore(
    { endpoint, region: 'us-east-1', bucket: 'photos', prefix: '', accessKeyId: 'id', secretAccessKey: 'key' },
    timeoutMs,
  )

it('follows no redirect: another server gets neither photo nor signature', async () => {
  const asked: (string | undefined)[] = []
  const other = await serve((request, response) => (asked.push(request.url), response.writeHead(200).end('a photo')))
  const store = storeAt(await serve((_request, response) => response.writeHead(307, { location: other }).end()))
  for (const call of [() => store.put(address, new Uint8Array([1])), () => store.get(address)])
    await expect(call()).rejects.toMatchObject({ code: 'PHOTO_STORE_UNAVAILABLE' })
  expect(asked).toEqual([])
})

it('gives up a store that never answers', async () => {
  const store = storeAt(await serve(() => {}), 50)
  await expect(store.get(address)).rejects.toMatchObject({ code: 'PHOTO_STORE_UNAVAILABLE' })
})

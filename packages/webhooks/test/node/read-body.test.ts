import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { readBody } from '../../src/node/read-body.js'

test('a request that somebody destroys without a word ends the reading', async () => {
  const request = new IncomingMessage(new Socket())
  const body = readBody(request, 100, 60_000)
  request.push('{')
  request.destroy()
  expect(await body).toBe('ABORTED')
})

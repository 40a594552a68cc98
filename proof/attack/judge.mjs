const versionOf = (bytes) => /^[^\r\n]* HTTP\/(\S*)\r?\n/.exec(bytes.toString('latin1'))?.[1]

/** Everything that is wrong in what came back for these bytes, in a sentence each. No answer may repeat the marker. */
export function judge({ bytes, received, marker }) {
  const text = received.toString('latin1')
  const statuses = [...text.matchAll(/(?:^|\r\n\r\n|[}\]>])HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
  // 503 says that the server is busy, 505 that it speaks HTTP/1.1 alone. Both are answers of ours.
  const isOurs = (status) => status === 503 || (status === 505 && versionOf(bytes) !== '1.1')
  const wrong = statuses.filter((status) => status >= 500 && !isOurs(status)).map((status) => `got ${status}`)
  return text.includes(marker) ? [...wrong, 'an answer repeats a submitted value'] : wrong
}

/** The first bytes of a JPEG and a text that a test can look for; no decoder would take it. */
export function samplePhoto(mark: string, length = 20_000): Buffer {
  const photo = Buffer.alloc(length, 0x20)
  photo.set([0xff, 0xd8, 0xff, 0xe0])
  photo.write(mark, 20)
  return photo
}

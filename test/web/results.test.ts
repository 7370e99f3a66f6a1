/** Results in the browser: limits of archives, and texts that are shown in part. */
import { expect, test } from 'vitest'
import { beginningOf } from '../../web/src/run/beginning.ts'
import { checkZip, zipOf } from '../../web/src/run/zip.ts'

test('an archive that its format cannot hold is refused, not damaged', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `${index}`, bytes: 1 }))
  expect(() => checkZip(many(65_535))).not.toThrow()
  expect(() => checkZip(many(65_536))).toThrow(/one by one/)
  expect(() => checkZip([{ name: 'a.mp4', bytes: 4_294_000_000 }])).not.toThrow()
  expect(() =>
    checkZip([
      { name: 'a.mp4', bytes: 2_200_000_000 },
      { name: 'b.mp4', bytes: 2_200_000_000 },
    ]),
  ).toThrow(/one by one/)
  const large = { size: 2 ** 32, arrayBuffer: () => Promise.reject(new Error('was read')) } as unknown as Blob
  await expect(zipOf([{ name: 'a.mp4', blob: large }])).rejects.toThrow(/one by one/)
})

test.each([
  ['short', 'héllo', 100, 'héllo', false],
  ['as long as the limit', 'hello', 5, 'hello', false],
  ['longer', 'hello', 4, 'hell', true],
  ['cut in a character', 'hé', 2, 'h', true],
  ['empty', '', 5, '', false],
])('the beginning of a text: %s', async (_, text, most, shown, isCut) => {
  expect(await beginningOf(new Response(text), most)).toEqual({ text: shown, isCut })
})

test('the rest of a long text is not downloaded', async () => {
  let [sent, isCanceled] = [0, false]
  const endless = new ReadableStream<Uint8Array>({
    pull(to) {
      sent += 1
      to.enqueue(new TextEncoder().encode('x'.repeat(1000)))
    },
    cancel() {
      isCanceled = true
    },
  })
  const { text, isCut } = await beginningOf(new Response(endless), 2500)
  expect([text.length, isCut, isCanceled]).toEqual([2500, true, true])
  expect(sent).toBeLessThan(10)
})

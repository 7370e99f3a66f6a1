import { type Readable, Transform } from 'node:stream'
import { cutOff, storageFailure } from './failure.ts'

/**
 * The body of a response. Ends with an error unless exactly `bytes` arrive, and ends the request when the reader stops.
 * @param stop ends the request
 * @param idleMs how long no byte may arrive while the reader waits, in milliseconds
 */
export function checkedDownload(body: Readable, bytes: number, stop: () => void, idleMs: number): Readable {
  let left = bytes
  let timer: NodeJS.Timeout | undefined
  const watch = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      // A reader that takes nothing may pause as long as it likes.
      if (checked.readableLength > 0) return watch()
      checked.destroy(cutOff(`no byte for ${idleMs / 1000} s, ${left} of ${bytes} are missing`))
    }, idleMs)
    timer.unref()
  }
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length
      watch()
      done(null, chunk)
    },
    flush: (done) => done(left === 0 ? null : cutOff(`${left} of ${bytes} bytes are missing`)),
    destroy(error, done) {
      clearTimeout(timer)
      // Ending a request that is complete would close its connection, which others can use.
      if (!body.readableEnded) {
        body.destroy()
        stop()
      }
      done(error)
    },
  })
  const isOpen = (): boolean => !checked.destroyed
  body.on('error', (error) => isOpen() && checked.destroy(storageFailure(error)))
  body.on('close', () => !body.readableEnded && isOpen() && checked.destroy(cutOff('the connection was closed')))
  // A connection may be cut before the reader listens: it finds a stream with an error then.
  checked.on('error', () => {})
  watch()
  return body.pipe(checked)
}

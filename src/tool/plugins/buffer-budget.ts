/**
 * A limit for the typed arrays and buffers of a thread: Node's limits for threads cover the heap only, and a damaged file can
 * make a decoder allocate gigabytes of pixels outside of it.
 */
import { MediaprocError } from '../../errors.ts'

const ARRAYS = [
  ...[Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array],
  ...[Float32Array, Float64Array, BigInt64Array, BigUint64Array],
] as const

/** The share of the limit after whose allocation the memory in use is measured. */
const MEASURED_SHARE = 8

/** Starts the limit for this thread, before a plugin is loaded. */
export function limitBuffers(maxBytes: number): void {
  let sinceMeasured = 0
  const reserve = (bytes: number): void => {
    if (!(bytes > 0)) return
    sinceMeasured += bytes
    const isMany = sinceMeasured > maxBytes / MEASURED_SHARE
    if (isMany) sinceMeasured = 0
    if (bytes > maxBytes || (isMany && process.memoryUsage().arrayBuffers + bytes > maxBytes))
      throw new MediaprocError(
        'LIMIT_EXCEEDED',
        `More than ${Math.round(maxBytes / 2 ** 20)} MB of memory are needed`,
        {
          hint: 'Raise the limit with the environment variable MEDIAPROC_FORMAT_MEMORY_MB.',
        },
      )
  }
  const guarded = <Kind extends object>(Kind: Kind, sizeOf: (first: unknown) => number): Kind =>
    new Proxy(Kind, {
      construct(target, given, newTarget) {
        reserve(sizeOf(given[0]))
        return Reflect.construct(target as never, given, newTarget) as object
      },
    })
  const globals = globalThis as Record<string, unknown>
  globals.ArrayBuffer = guarded(ArrayBuffer, Number)
  for (const Kind of ARRAYS)
    globals[Kind.name] = guarded(Kind, (first) => {
      const length =
        typeof first === 'number' ? first : Array.isArray(first) || ArrayBuffer.isView(first) ? lengthOf(first) : 0
      return length * Kind.BYTES_PER_ELEMENT
    })
  const { alloc, allocUnsafe, concat } = Buffer
  Buffer.alloc = (size, ...rest) => {
    reserve(size)
    return alloc(size, ...rest)
  }
  Buffer.allocUnsafe = (size) => {
    reserve(size)
    return allocUnsafe(size)
  }
  Buffer.concat = (list, total) => {
    reserve(total ?? list.reduce((sum, { length }) => sum + length, 0))
    return concat(list, total)
  }
}

const lengthOf = (list: unknown[] | ArrayBufferView): number => ('length' in list ? Number(list.length) : 0)

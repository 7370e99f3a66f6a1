import { environmentNumber } from '../environment.ts'
import type { Model } from './manifest.ts'

const MEBIBYTE = 1024 * 1024

/** Of a model of which nothing is known: its weights, a copy of them in the order that the processor likes, and the runtime. */
const ESTIMATE = { weights: 2.5, base: 200 * MEBIBYTE } as const

/** Bytes that a model takes while it runs. */
export function memoryOf({ files, memoryMb }: Pick<Model, 'files' | 'memoryMb'>): number {
  if (memoryMb !== undefined) return memoryMb * MEBIBYTE
  return ESTIMATE.base + ESTIMATE.weights * files.reduce((sum, { bytes }) => sum + bytes, 0)
}

let limitBytes = Number.POSITIVE_INFINITY

/** Told by who runs this process: it is ended when it takes more. */
export function limitModelMemory(bytes: number): void {
  limitBytes = bytes
}

/** Bytes that a model may take now: what the machine (or its container) has left, and what this process may still take. */
export function freeModelMemory(): number {
  return Math.min(process.availableMemory(), limitBytes - process.memoryUsage.rss())
}

/** Bytes that loaded models may hold together while none of them works. */
export function modelBudget(): number {
  const configured = environmentNumber('MEDIAPROC_MODEL_MEMORY_MB')
  return configured > 0 ? configured * MEBIBYTE : freeModelMemory() / 2
}

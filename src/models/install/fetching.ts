import type { ModelFile } from '../manifest.ts'

/** Options for downloads. */
export interface FetchOptions {
  signal: AbortSignal
  /** Called with the bytes present out of the total to download. */
  onProgress?(done: number, total: number, name: string): void
  /** Delay before the first retry of a source, in milliseconds. */
  pauseMs?: number
}

/** Progress of one part, from 0 to 1. */
export interface PartProgress extends Pick<FetchOptions, 'signal' | 'pauseMs'> {
  onProgress(fraction: number): void
}

/** Accepts a downloaded file if it is the right one. */
export type Receive = (file: ModelFile, path: string) => Promise<void>

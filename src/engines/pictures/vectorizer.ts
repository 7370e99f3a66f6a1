import type { Config } from '@neplex/vectorizer'
import { MediaprocError } from '../../errors.ts'
import { type Engine, engineUnavailable } from '../engine.ts'
import { importPackage, libraryEngine, packageFolder } from '../library.ts'

export interface TraceOptions {
  /** Curve type of the outlines. */
  path: 'none' | 'polygon' | 'spline'
  /** Smaller areas are omitted, in pixels; rounded down to a square number. */
  speckle: number
  /** Significant bits per channel, 1 to 8. */
  precision: number
  /** Minimum difference between two layers, 0 to 255. */
  layerDifference: number
  /** Minimum angle of a corner, degrees. */
  cornerThreshold: number
}

/** Fixed VTracer parameters (catalogue): curves of at least 4 px, spliced at 45 degrees, fitted twice. */
const FIXED = { lengthThreshold: 4, spliceThreshold: 45, maxIterations: 2, pathPrecision: 5 } as const

/** The library's values; it declares them as const enums, which other compilations cannot use. */
const COLOR = 0
const PATH_MODES = { none: 0, polygon: 1, spline: 2 } as const
const STACKED = 0

const PACKAGE = '@neplex/vectorizer'

export const vectorizer: Engine = libraryEngine({
  id: 'vectorizer',
  purpose: 'tracing images into drawings',
  licence: 'MIT',
  package: PACKAGE,
  pack: 'vectorizer',
})

/**
 * Traces RGBA pixels into an SVG document of many layers of colours, on the library's own thread.
 * @throws MediaprocError ENGINE_UNAVAILABLE, CANCELED, PROCESSING_FAILED
 */
export async function trace(
  pixels: { data: Buffer; width: number; height: number },
  { path, speckle, precision, layerDifference, cornerThreshold }: TraceOptions,
  signal: AbortSignal,
): Promise<string> {
  if (packageFolder(PACKAGE) === undefined) throw engineUnavailable(vectorizer, 'Tracing pictures')
  const { vectorizeRaw } = await importPackage<typeof import('@neplex/vectorizer')>(PACKAGE)
  const config: Config = {
    ...FIXED,
    colorMode: COLOR,
    hierarchical: STACKED,
    mode: PATH_MODES[path],
    // VTracer squares its value: smaller areas are removed.
    filterSpeckle: Math.max(1, Math.floor(Math.sqrt(speckle))),
    colorPrecision: precision,
    layerDifference,
    cornerThreshold,
  }
  try {
    const { data, width, height } = pixels
    const svg = await vectorizeRaw(data, { width, height }, config)
    signal.throwIfAborted()
    // Without it a browser crops the drawing instead of scaling it.
    return svg.replace('<svg ', `<svg viewBox="0 0 ${width} ${height}" `)
  } catch (error) {
    if (signal.aborted) throw error
    throw new MediaprocError('PROCESSING_FAILED', 'The image could not be traced', {
      detail: error instanceof Error ? error.message : String(error),
      cause: error,
    })
  }
}

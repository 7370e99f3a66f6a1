export interface Adjustment {
  brightness: number
  contrast: number
  saturation: number
  gamma: number
}

/** The filter's expression for the number of sample values: ranges that start above 0 start at a sixteenth. */
const STEPS = 'if(minval,16*minval,maxval+1)'

/**
 * The filter that changes brightness, contrast, saturation and gamma with the formulas of ffmpeg's `eq`, at the video's
 * bit depth: `eq` itself uses 8 bits, which causes visible banding in deeper sources.
 */
export function colourFilter({ brightness, contrast, saturation, gamma }: Adjustment): string {
  const share = `(val/(${STEPS}-1)-0.5)`
  const luma = `${STEPS}*pow(max(${contrast}*${share}+0.5+${brightness},0),1/${gamma})`
  const chroma = `${STEPS}*(${saturation}*${share}+0.5)`
  return `lutyuv=y='${luma}':u='${chroma}':v='${chroma}'`
}

export interface Adjustment {
  brightness: number
  contrast: number
  saturation: number
  gamma: number
}

/** How many values a sample has, as the filter knows it: ranges that begin above 0 begin at a sixteenth. */
const STEPS = 'if(minval,16*minval,maxval+1)'

/**
 * The filter that changes brightness, contrast, saturation and gamma with the figures of ffmpeg's `eq`, in the depth of the
 * picture: `eq` itself has 8 bits, which shows as steps where the source has more.
 */
export function colourFilter({ brightness, contrast, saturation, gamma }: Adjustment): string {
  const share = `(val/(${STEPS}-1)-0.5)`
  const luma = `${STEPS}*pow(max(${contrast}*${share}+0.5+${brightness},0),1/${gamma})`
  const chroma = `${STEPS}*(${saturation}*${share}+0.5)`
  return `lutyuv=y='${luma}':u='${chroma}':v='${chroma}'`
}

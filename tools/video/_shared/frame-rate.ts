/** A rate this close to an NTSC rate counts as that rate. */
const TOLERANCE = 0.005

/** A frame rate in ffmpeg's syntax: 29.97 as its exact fraction (SMPTE 170M: 1000/1001 of a whole rate). */
export function frameRate(fps: number): string {
  const whole = Math.ceil(fps)
  const ntsc = (whole * 1000) / 1001
  return !Number.isInteger(fps) && Math.abs(fps - ntsc) < TOLERANCE ? `${whole * 1000}/1001` : String(fps)
}

/**
 * The filter that converts a video to a frame rate. A video shorter than a frame at that rate would lose its only
 * frame.
 * @param rate in ffmpeg's syntax
 * @param lengthS length of the filtered video, seconds, if known
 */
export function atRate(rate: number | string, lengthS: number | undefined): string {
  const [numerator, denominator = 1] = String(rate).split('/').map(Number)
  const isShort = lengthS !== undefined && lengthS * numerator! < denominator
  return `fps=${rate}${isShort ? ':eof_action=pass' : ''}`
}

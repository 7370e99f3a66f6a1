/** Rates within this distance of an NTSC rate are treated as it. */
const TOLERANCE = 0.005

/** A frame rate for ffmpeg: 29.97 as its fraction (SMPTE 170M: 1000/1001 of an integer rate). */
export function frameRate(fps: number): string {
  const whole = Math.ceil(fps)
  const ntsc = (whole * 1000) / 1001
  return !Number.isInteger(fps) && Math.abs(fps - ntsc) < TOLERANCE ? `${whole * 1000}/1001` : String(fps)
}

/**
 * The filter that brings a video to a rate. One that is shorter than a frame of that rate would lose its only frame.
 * @param rate as ffmpeg takes it
 * @param lengthS of what is filtered, seconds, where it is known
 */
export function atRate(rate: number | string, lengthS: number | undefined): string {
  const [numerator, denominator = 1] = String(rate).split('/').map(Number)
  const isShort = lengthS !== undefined && lengthS * numerator! < denominator
  return `fps=${rate}${isShort ? ':eof_action=pass' : ''}`
}

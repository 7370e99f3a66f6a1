/** Nearer than this to a rate of NTSC, it is meant. */
const TOLERANCE = 0.005

/** A frame rate as ffmpeg takes it: 29.97 as the fraction that it stands for (SMPTE 170M: 1000/1001 of a whole rate). */
export function frameRate(fps: number): string {
  const whole = Math.ceil(fps)
  const ntsc = (whole * 1000) / 1001
  return !Number.isInteger(fps) && Math.abs(fps - ntsc) < TOLERANCE ? `${whole * 1000}/1001` : String(fps)
}

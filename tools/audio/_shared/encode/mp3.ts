/**
 * The highest bit rate of MP3 at a sample rate, kbit/s: MPEG-2.5 to 12 kHz 64, MPEG-2 to 24 kHz 160, MPEG-1 320
 * (ISO/IEC 11172-3 and 13818-3, table of bit rates; 64 is the catalogue's figure for 8 kHz).
 */
export function mp3Cap(sampleRate: number): number {
  if (sampleRate <= 12000) return 64
  return sampleRate <= 24000 ? 160 : 320
}

/** A frame as stored in the file, not decoded. */
export interface Packet {
  /** Presentation time, seconds from the start of the file. */
  timeS: number
  /** Decoding time: earlier when frames that are displayed before it depend on it. */
  decodedS: number
  /** Whether a clip can start here (key frame). */
  isKey: boolean
}

/** A packet as ffmpeg lists it (`-f framecrc`). */
export interface ListedPacket {
  /** The position of its stream in the output. */
  position: number
  /** Presentation time, seconds; undefined if the file states none. */
  timeS: number | undefined
  /** Decoding time, seconds: earlier when frames that are displayed before it depend on it. */
  decodedS: number | undefined
  /** Seconds; 0 if unknown. */
  durationS: number
  /** Presentation time, ticks. */
  ticks: number | undefined
  /** Seconds per tick, as a fraction. */
  tick: { numerator: number; denominator: number }
  /** Bytes. */
  size: number
  isKey: boolean
}

/** Stream, decoding and presentation time, duration, size, checksum, and flags if they are not those of a key frame. */
const PACKET = /^(\d+), *(-?\d+), *(-?\d+), *(\d+), *(\d+), *0x\w+(?:, *F=0x(\w+))?/

/** ffmpeg's number for a missing time has 19 digits. */
const MAX_TICKS = 1e17

function ticksOf(written: string | undefined): number | undefined {
  const ticks = Number(written)
  return Math.abs(ticks) < MAX_TICKS ? ticks : undefined
}

/** Reads ffmpeg's list of packets from its output. */
export function packetReader(onPacket: (packet: ListedPacket) => void): (chunk: Buffer) => void {
  const bases: ListedPacket['tick'][] = []
  let rest = ''
  return (chunk) => {
    const lines = `${rest}${chunk.toString('latin1')}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, of, numerator, denominator] = /^#tb (\d+): (\d+)\/(\d+)/.exec(line) ?? []
      if (of !== undefined) bases[Number(of)] = { numerator: Number(numerator), denominator: Number(denominator) }
      const [, stream, decoding, presentation, duration, size, flags] = PACKET.exec(line) ?? []
      if (stream === undefined) continue
      const position = Number(stream)
      const tick = bases[position] ?? { numerator: 1, denominator: 1 }
      const secondsOf = (ticks: number): number => (ticks * tick.numerator) / tick.denominator
      const [decoded, ticks] = [ticksOf(decoding), ticksOf(presentation)]
      onPacket({
        ...{ position, ticks, tick, size: Number(size), durationS: secondsOf(Number(duration)) },
        timeS: ticks === undefined ? undefined : secondsOf(ticks),
        decodedS: decoded === undefined ? undefined : secondsOf(decoded),
        isKey: flags === undefined || (Number.parseInt(flags, 16) & 1) === 1,
      })
    }
  }
}

import { MediaprocError } from './errors.ts'

/** Every environment variable that the program reads, with its default and help line. Nothing else reads `process.env` by name. */
export const ENVIRONMENT = {
  MAX_MEGAPIXELS: { default: 100, help: 'largest picture that is decoded, in millions of pixels; 0 = no limit' },
  MAX_SVG_SIZE_MB: { default: 50, help: 'largest SVG file that is drawn, in megabytes' },
  MAX_PDF_PAGES: { default: 0, help: 'longest PDF that is taken, in pages; 0 = no limit' },
  MAX_VIDEO_DURATION_S: { default: 0, help: 'longest video that is taken, in seconds; 0 = no limit' },
  MAX_AUDIO_DURATION_S: { default: 0, help: 'longest sound that is taken, in seconds; 0 = no limit' },
  MAX_VIDEO_BITRATE_KBPS: { default: 0, help: 'highest video bit rate that is taken, in kbit/s; 0 = no limit' },
  MAX_DOWNLOAD_SIZE_MB: { default: 1024, help: 'largest file that is fetched from an address, in megabytes' },
  MAX_PIPELINE_STEPS: { default: 20, help: 'most steps that a file goes through in a pipeline; 0 = no limit' },
  CONCURRENT_JOBS: { default: 0, help: 'jobs at the same time in a batch; 0 = from the number of cores' },
  PROCESSING_TIMEOUT_S: { default: 0, help: "caps every tool's own time limit, in seconds; 0 = no cap" },
  MEDIAPROC_OFFLINE: { default: '', help: 'set to 1: no network connection is opened' },
  MEDIAPROC_ALLOW_PRIVATE_HOSTS: { default: '', help: 'set to 1: addresses of private networks are fetched too' },
  MEDIAPROC_CACHE: { default: '', help: 'folder for what is made once, such as unpacked fonts' },
  MEDIAPROC_FFMPEG: { default: '', help: 'the ffmpeg program to use' },
  MEDIAPROC_FFPROBE: { default: '', help: 'the ffprobe program to use' },
  MEDIAPROC_GHOSTSCRIPT: { default: '', help: 'the Ghostscript program (gs) to use' },
  MEDIAPROC_HEIF_ENC: { default: '', help: 'the heif-enc program to use' },
  MEDIAPROC_CJXL: { default: '', help: 'the cjxl program to use' },
  MEDIAPROC_DJXL: { default: '', help: 'the djxl program to use' },
  MEDIAPROC_DCRAW: { default: '', help: 'the dcraw_emu or dcraw program to use' },
  MEDIAPROC_EXIFTOOL: { default: '', help: 'the exiftool script to use' },
  MEDIAPROC_PERL: { default: '', help: 'the perl that runs exiftool' },
  MEDIAPROC_DEBUG: { default: '', help: 'set to 1: stack traces of unexpected errors are printed' },
  MEDIAPROC_JOBS: { default: 0, help: 'as -j: jobs at the same time; 0 = CONCURRENT_JOBS' },
  MEDIAPROC_OUTPUT_DIR: { default: '', help: 'as --output-dir: the folder for outputs' },
  MEDIAPROC_NAME: { default: '', help: "as --name: the pattern of output names, such as '{stem}_{tool}.{ext}'" },
  MEDIAPROC_FORCE: { default: '', help: 'set to 1: as --force, existing outputs are replaced' },
  MEDIAPROC_QUIET: { default: '', help: 'set to 1: as --quiet, only errors are printed' },
  MEDIAPROC_TIMEOUT: { default: 0, help: 'as --timeout: seconds that one job may take; 0 = the limit of the tool' },
  TERM: { default: '', help: 'dumb: no colours' },
  NO_COLOR: { default: '', help: 'set to anything: no colours' },
} as const

export type EnvironmentName = keyof typeof ENVIRONMENT
type NumberName = {
  [N in EnvironmentName]: (typeof ENVIRONMENT)[N]['default'] extends number ? N : never
}[EnvironmentName]

/** A number from the environment: zero or more. Anything else is INVALID_CONFIG, naming the variable. */
export function environmentNumber(name: NumberName): number {
  const given = process.env[name]
  if (given === undefined || given.trim() === '') return ENVIRONMENT[name].default
  const value = Number(given)
  if (Number.isFinite(value) && value >= 0) return value
  throw new MediaprocError(
    'INVALID_CONFIG',
    `Expected a number of at least 0 for the environment variable ${name}, got ${given}`,
  )
}

/** Text from the environment, or '' when unset. */
export function environmentText(name: EnvironmentName): string {
  return process.env[name] ?? ''
}

import { resolve } from 'node:path'
import { MediaprocError } from '../../errors.ts'

/**
 * The only demuxers allowed to open a file. All of them read only that file; playlists and scripts (hls, dash, concat,
 * imf, sdp, avisynth …) can reference other files or hosts and are excluded, whatever the file's name.
 */
const DEMUXERS = [
  ...[
    'mov',
    'matroska',
    'avi',
    'asf',
    'flv',
    'mpeg',
    'mpegts',
    'mpegvideo',
    'ogg',
    'mxf',
    'wtv',
    'dv',
    'ivf',
    'rm',
    'nut',
  ],
  ...['h264', 'hevc', 'm4v', 'obu', 'av1', 'mjpeg', 'yuv4mpegpipe', 'gif', 'apng'],
  ...['mp3', 'wav', 'w64', 'flac', 'aac', 'ac3', 'eac3', 'amr', 'amrnb', 'amrwb', 'aiff', 'au', 'caf', 'dts', 'dtshd'],
  ...['truehd', 'tta', 'wv', 'ape', 'mpc', 'mpc8', 'tak', 'dsf', 'voc', 'loas'],
  ...['srt', 'ass', 'webvtt'],
  ...[
    'image2',
    'ico',
    'bmp_pipe',
    'dpx_pipe',
    'exr_pipe',
    'gif_pipe',
    'j2k_pipe',
    'jpeg_pipe',
    'jpegls_pipe',
    'jpegxl_pipe',
  ],
  ...['pam_pipe', 'pbm_pipe', 'pcx_pipe', 'pgm_pipe', 'png_pipe', 'ppm_pipe', 'psd_pipe', 'qoi_pipe', 'sgi_pipe'],
  ...['tiff_pipe', 'webp_pipe'],
].join(',')

/** Extensions for which ffmpeg reads `%03d` and `*` in a name as a pattern for multiple files. */
const PICTURE_NAME =
  /\.(png|apng|jpe?g|jpe|jls|jp2|j2k|jxl|bmp|dib|tiff?|tga|webp|p[abgp]m|pnm|pfm|exr|dpx|psd|qoi|sgi|pcx|ico)$/i
const PATTERN_CHARACTER = /[%*?{[]/

/**
 * Arguments that open an untrusted file, for ffmpeg and ffprobe: local file only, listed demuxers only, and a name that
 * is taken literally (leading dash, colon, newline, `%d`). Options for this input, such as `-ss`, must precede them.
 */
export function inputArguments(path: string): string[] {
  const absolute = resolve(path)
  const literal =
    PICTURE_NAME.test(absolute) && PATTERN_CHARACTER.test(absolute) ? ['-f', 'image2', '-pattern_type', 'none'] : []
  return ['-protocol_whitelist', 'file,pipe', '-format_whitelist', DEMUXERS, ...literal, '-i', `file:${absolute}`]
}

/**
 * Messages about an input being opened or decoded; a muxer that rejects a packet uses the same words after its own
 * prefix.
 */
const UNREADABLE = /^(?!av_|Error writing|\[)[^\n]*: Invalid data found when processing input$/m
const PLAYLISTS = new Set([
  'hls',
  'applehttp',
  'dash',
  'concat',
  'imf',
  'webm_dash_manifest',
  'sdp',
  'rtsp',
  'avisynth',
])

/**
 * A sentence about why ffmpeg or ffprobe could not read a file, from its stderr; undefined if that contains no input
 * error.
 */
export function explainUnreadable(errorText: string): MediaprocError | undefined {
  const refused = /\[([\w,]+) @ [^\]]*\] Format not on whitelist/.exec(errorText)?.[1]
  const detail = errorText.trim().slice(-4096)
  if (refused?.split(',').some((name) => PLAYLISTS.has(name))) {
    return new MediaprocError('UNSUPPORTED_FILE_TYPE', 'The file is a playlist that refers to other files', {
      hint: 'Give the video or audio file itself.',
      detail,
    })
  }
  if (refused) {
    return new MediaprocError(
      'UNSUPPORTED_FILE_TYPE',
      `The file is not video or audio of a type that is read (${refused})`,
      { detail },
    )
  }
  if (/moov atom not found/.test(detail)) {
    return new MediaprocError('INVALID_FILE', 'The file is incomplete or damaged: its index is missing', { detail })
  }
  if (UNREADABLE.test(detail) || /Cannot determine format of input stream|: End of file$/m.test(detail)) {
    return new MediaprocError('INVALID_FILE', 'The file is damaged, or it is not video or audio', { detail })
  }
  return undefined
}

import { type MediaInfo, type Stream, videoStream } from '../../../engines/ffmpeg/ffprobe.ts'

/** Tags that programs write for themselves and that do not describe the content. */
const TECHNICAL = new RegExp(
  `^(${[
    ...[
      'major_brand',
      'minor_version',
      'compatible_brands',
      'encoder',
      'encoded_by',
      'encoding',
      'software',
      'duration',
    ],
    ...[
      'handler_name',
      'vendor_id',
      'language',
      'timecode',
      'alpha_mode',
      'stereo_mode',
      'rotate',
      'itunsmpb',
      'itunnorm',
    ],
    ...[
      'isvbr',
      'wmfsdk\\w*',
      'deviceconformancetemplate',
      'is_variable_bitrate',
      'bps',
      'number_of_\\w+',
      '_statistics_\\w+',
    ],
    ...[
      'id3v2_priv\\..*',
      'com\\.android\\.version',
      'com\\.apple\\.quicktime\\.(player|content)\\..*',
      'gapless_playback',
    ],
    ...[
      'metadatacreator',
      'hasvideo',
      'hasaudio',
      'hasmetadata',
      'haskeyframes',
      'canseektoend',
      'datasize',
      'videosize',
    ],
    ...['audiosize', 'lasttimestamp', 'lastkeyframe(timestamp|location)', 'filesize', 'framerate', 'videocodecid'],
    ...[
      'audiocodecid',
      'stereo',
      'tlen',
      'tsse',
      'tenc',
      'mime_type',
      'filename',
      'coding_history',
      'umid',
      'time_reference',
    ],
    ...[
      'service_provider',
      'company_name',
      'product_(name|version(_num)?|uid)',
      'application_platform',
      'generation_uid',
      'uid',
    ],
    ...[
      'modification_date',
      'material_package_umid',
      'toolkit_version(_num)?',
      'operational_pattern_ul',
      'file_package_umid',
    ],
  ].join('|')})$`,
)

/** The streams whose tags are file-level tags: Ogg has no others. */
export const taggedStream = ({ format, streams }: MediaInfo): Stream | undefined =>
  format === 'ogg' ? (streams.find(({ type }) => type === 'audio') ?? videoStream({ streams } as MediaInfo)) : undefined

/** The tags of a media file by lower-case name, without those that programs write for themselves. */
export function tagsOf(info: MediaInfo): Record<string, string> {
  const own = { ...taggedStream(info)?.tags, ...info.tags }
  return Object.fromEntries(Object.entries(own).filter(([name]) => !TECHNICAL.test(name)))
}

/** Whether a tag describes loudness: ReplayGain, or the gain of Opus (RFC 7845, 5.2.1). */
export const isLoudnessTag = (name: string): boolean => /^(replaygain_|r128_)/i.test(name)

/** Options with which ffmpeg adds no tag of its own to audio. */
export const WITHOUT_OWN_TAGS = ['-fflags', '+bitexact', '-flags:a', '+bitexact']

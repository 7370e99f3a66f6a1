// node bench/check-outputs/make-av-folder.mjs FOLDER: writes short video and audio files with properties that a tool
// may lose (fields, HDR, variable rates, rotation, tracks, chapters, attachments, damage) for `npm run check:outputs --
// FOLDER`.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [folder] = process.argv.slice(2)
if (!folder) {
  console.error('node bench/check-outputs/make-av-folder.mjs FOLDER')
  process.exit(2)
}
const parts = join(folder, '.parts')
mkdirSync(parts, { recursive: true })

const at = (name) => join(folder, name)
const part = (name) => join(parts, name)
/** Splits a string of options, such as `-map 0 -c copy`, at its spaces. */
function make(path, ...given) {
  const args = given.flat().flatMap((text) => (text.startsWith('-') ? text.split(' ') : [text]))
  execFileSync('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args, path], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return path
}
function write(name, text) {
  writeFileSync(part(name), text)
  return part(name)
}
const font = join(dirname(fileURLToPath(import.meta.url)), '../../dist/fonts/anton-latin-400-normal.ttf')

const picture = (size = '160x120', rate = 25, seconds = 2) => [
  ...['-f lavfi -i', `testsrc2=s=${size}:r=${rate}:d=${seconds}`],
]
const sine = (hz = 440, seconds = 2, rate = 48000) => ['-f lavfi -i', `sine=f=${hz}:d=${seconds}:sample_rate=${rate}`]
const H264 = ['-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 25']
const AAC = ['-c:a aac -b:a 96k']
const BOTH = [...picture(), ...sine(), '-shortest']
const HDR = (transfer) => ['-color_primaries bt2020 -color_trc', transfer, '-colorspace bt2020nc -color_range tv']
const FIELDS = ['-vf tinterlace=interleave_top,setfield=tff -flags +ilme+ildct']

const words = write(
  'words.srt',
  '1\n00:00:00,100 --> 00:00:00,900\nHello there\n\n2\n00:00:01,000 --> 00:00:01,800\nGood bye\n',
)
const about = write(
  'about.txt',
  ';FFMETADATA1\ntitle=Whole title\nartist=Some artist\ncomment=A comment\n' +
    '[CHAPTER]\nTIMEBASE=1/10\nSTART=0\nEND=10\ntitle=First\n[CHAPTER]\nTIMEBASE=1/10\nSTART=10\nEND=20\ntitle=Second\n',
)
const cover = make(part('cover.png'), '-f lavfi -i color=teal:s=80x80 -frames:v 1')
const plain = make(at('plain.mp4'), BOTH, H264, AAC)

// Video: fields, dynamic range, times, aspect ratio.
make(at('interlaced-h264.mp4'), picture('160x120', 50), sine(), FIELDS, H264, '-x264opts tff=1', AAC)
make(at('interlaced-mpeg2.mpg'), picture('160x120', 50), sine(), FIELDS, '-c:v mpeg2video -q:v 4 -c:a mp2')
make(at('hdr10.mp4'), picture(), '-pix_fmt yuv420p10le -c:v libx265', HDR('smpte2084'), [
  '-preset ultrafast -tag:v hvc1 -x265-params log-level=error:hdr-opt=1:repeat-headers=1:max-cll=1000,400:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)',
])
make(at('hlg.mkv'), picture(), '-pix_fmt yuv420p10le -c:v libx265', HDR('arib-std-b67'), '-preset ultrafast', [
  '-x265-params log-level=error',
])
make(at('vfr.mp4'), picture(), '-vf', "select='not(mod(n,5))+lt(n,20)'", '-vsync vfr', H264)
make(at('rotated.mp4'), '-i', plain, '-c copy -metadata:s:v:0 rotate=90')
make(at('odd-size.mkv'), picture('162x122'), '-vf format=yuv444p,crop=161:121:0:0 -c:v ffv1')
make(at('wide-pixels.mp4'), picture(), '-vf setsar=4/3', H264)
make(at('ntsc-rate.mp4'), picture('160x120', '30000/1001'), H264)
make(at('alpha.mov'), picture(), '-vf format=rgba,colorchannelmixer=aa=0.5 -c:v qtrle')
make(at('prores-422.mov'), picture(), '-c:v prores_ks -profile:v 2 -timecode 10:00:00:00')

// Tracks and labels.
make(at('rich.mkv'), '-i', plain, sine(880), '-i', words, '-i', about, [
  '-map 0 -map 1 -map 2 -map_metadata 3 -map_chapters 3 -c copy -c:a:1 aac -c:s srt -metadata:s:a:0 language=deu -metadata:s:a:0 title=Main -metadata:s:a:1 language=fra -metadata:s:a:1 title=Commentary -disposition:a:1 comment -metadata:s:s:0 language=eng',
  ...['-attach', font, '-metadata:s:t mimetype=font/ttf -metadata:s:t filename=NotoSans-Regular.ttf'],
])
make(at('languages.mp4'), '-i', plain, sine(880), '-i', words, '-i', about, [
  '-map 0 -map 1 -map 2 -map_metadata 3 -map_chapters 3 -c copy -c:a:1 aac -c:s mov_text -metadata:s:a:0 language=deu -metadata:s:a:1 language=fra -metadata:s:s:0 language=ita',
])
make(at('script.mkv'), '-i', plain, '-i', words, '-map 0 -map 1 -c copy -c:s ass')
make(at('cover.m4a'), sine(), '-i', cover, '-i', about, '-map 0 -map 1 -map_metadata 2', [
  ...['-map_chapters 2', ...AAC, '-c:v png -disposition:v attached_pic'],
])
make(at('cover.mp3'), sine(), '-i', cover, '-map 0 -map 1 -c:a libmp3lame', [
  ...['-c:v', 'png', '-id3v2_version', '3', '-metadata', 'title=Song', '-metadata', 'artist=Some artist'],
])
make(at('edit-list.mp4'), '-ss 0.5 -i', plain, '-c copy')

// Containers.
make(at('stream.ts'), '-i', plain, '-map 0 -c copy -metadata:s:a:0 language=deu')
make(at('camera.m2ts'), BOTH, H264, '-c:a ac3 -mpegts_m2ts_mode 1')
make(at('tape.mxf'), picture('720x576', 25, 1), sine(440, 1), '-c:v mpeg2video -q:v 4 -c:a pcm_s16le', [
  '-shortest -timecode 10:00:00:00',
])
make(at('web.webm'), BOTH, '-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus')
make(at('old.avi'), BOTH, '-c:v mpeg4 -c:a libmp3lame')

// Audio.
make(
  at('surround.mkv'),
  picture(),
  '-f lavfi -i sine=d=2:sample_rate=48000,pan=5.1|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0',
  [...[...H264, '-c:a ac3']],
)
make(at('surround.flac'), '-f lavfi -i sine=d=2:sample_rate=48000,pan=5.1|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0')
make(at('deep.wav'), sine(440, 2, 96000), '-c:a pcm_s24le')
make(at('float.wav'), sine(), '-af volume=12dB -c:a pcm_f32le')
make(
  at('tagged.ogg'),
  sine(440, 2, 44100),
  '-c:a',
  'libvorbis',
  '-metadata',
  'title=Song',
  '-metadata',
  'artist=Some artist',
)
make(at('tagged.opus'), sine(), '-c:a libopus -metadata title=Song')
make(at('gain.flac'), sine(), '-metadata', 'REPLAYGAIN_TRACK_GAIN=-3.00 dB', '-metadata', 'title=Song')

// Damage: the file is shorter than its header says.
for (const [name, args] of [
  ['cut-off.avi', [...BOTH, '-c:v mpeg4 -c:a pcm_s16le']],
  ['cut-off.ogg', [...sine(440, 3), '-c:a libvorbis']],
  ['cut-off.mp4', [...BOTH, ...H264, ...AAC, '-movflags +faststart']],
]) {
  make(at(name), args)
  truncateSync(at(name), Math.round(statSync(at(name)).size * 0.6))
}
// A wrong duration: the Duration element of Matroska (0x4489) is set to 100 days.
const long = readFileSync(make(part('long.mkv'), BOTH, H264, AAC, '-metadata:s DURATION='))
long.writeDoubleBE(8.64e9, long.indexOf(Buffer.from([0x44, 0x89, 0x88])) + 3)
writeFileSync(at('overstated.mkv'), long)
rmSync(parts, { recursive: true })

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { environmentText } from '../../environment.ts'
import { makeFolder } from '../../make-folder.ts'
import { shippedFontsFolder } from '../fonts.ts'
import { programFolder } from './installation.ts'

const SCRIPTING = 'org.openoffice.Office.Common/Security/Scripting'
const NETWORK = 'org.openoffice.Inet/Settings'
/** The discard port: nothing listens there. */
const NOWHERE = { host: '127.0.0.1', port: '9' }

/**
 * Documents are untrusted: no macros run, links are not updated, and network requests are sent to a proxy that does not
 * exist. These settings do not block every local file; see src/media/office/closed-copy.ts.
 */
const SETTINGS: readonly [path: string, name: string, value: string][] = [
  [SCRIPTING, 'DisableMacrosExecution', 'true'],
  [SCRIPTING, 'MacroSecurityLevel', '3'],
  [SCRIPTING, 'BlockUntrustedRefererLinks', 'true'],
  // 0 means never for Writer, 2 for Calc.
  ['org.openoffice.Office.Writer/Content/Update', 'Link', '0'],
  ['org.openoffice.Office.Calc/Content/Update', 'Link', '2'],
  [NETWORK, 'ooInetProxyType', '2'],
  [NETWORK, 'ooInetHTTPProxyName', NOWHERE.host],
  [NETWORK, 'ooInetHTTPProxyPort', NOWHERE.port],
  [NETWORK, 'ooInetHTTPSProxyName', NOWHERE.host],
  [NETWORK, 'ooInetHTTPSProxyPort', NOWHERE.port],
  [NETWORK, 'ooInetNoProxy', ''],
  // After an upgrade, and with every fresh profile, LibreOffice 7.4 draws test pictures of 4096 x 4096, which takes five seconds.
  ['org.openoffice.Setup/Product', 'ooSetupLastVersion', '9999.9'],
]

const items = SETTINGS.map(
  ([path, name, value]) =>
    `<item oor:path="/${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
)

const REGISTRY = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
${items.join('\n')}
</oor:items>
`

/** The bundled fonts that cover a whole script: LibreOffice uses one file per family, and Latin is split into eight. */
const WHOLE_SCRIPTS = ['sc', 'jp', 'kr', 'arabic-arabic', 'hebrew-hebrew', 'thai-thai']

/**
 * The system's fonts and substitution rules, which include metric-compatible fonts for Arial or Calibri, so that line
 * breaks are kept; our fonts for scripts that the machine may lack.
 */
function fontRules(): string {
  const ours = shippedFontsFolder().replace(/\/$/, '')
  const escaped = (text: string): string => text.replace(/[&<]/g, (character) => `&#${character.charCodeAt(0)};`)
  const globs = WHOLE_SCRIPTS.map((script) => `<glob>${escaped(ours)}/noto-sans-${script}-*</glob>`)
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${escaped(ours)}</dir>
  <selectfont>
    <rejectfont><glob>${escaped(ours)}/*</glob></rejectfont>
    <acceptfont>${globs.join('')}</acceptfont>
  </selectfont>
</fontconfig>
`
}

/** The files that contain the id of a build, relative to the program's folder: Linux, Windows, macOS. */
const VERSIONS = ['versionrc', 'version.ini', '../Resources/versionrc']

/**
 * Marks the extensions of a fresh profile as those of this build. Otherwise LibreOffice clears them, and starts a second
 * time to load what it cleared. Does nothing for an installation that cannot be inspected, such as behind a wrapper script.
 */
async function markExtensions(profile: string, program: string): Promise<void> {
  const folder = await programFolder(program)
  for (const version of VERSIONS) {
    const id = /^buildid=(.+)$/im.exec(await readFile(join(folder, version), 'utf8').catch(() => ''))?.[1]?.trim()
    if (id === undefined) continue
    const extensions = join(profile, 'user', 'extensions')
    await makeFolder(extensions)
    return writeFile(join(extensions, 'buildid'), id)
  }
}

export interface Profile {
  /** The value of `-env:UserInstallation`. */
  folder: string
  /** The fonts.conf to use: the user's own, or ours. */
  fonts: string
}

/**
 * A fresh LibreOffice profile in `folder`, used by one run only.
 * @param program path of `soffice`, or a link to it
 */
export async function writeProfile(folder: string, program: string): Promise<Profile> {
  const profile = join(folder, 'profile')
  await makeFolder(join(profile, 'user'))
  await markExtensions(profile, program)
  await writeFile(join(profile, 'user', 'registrymodifications.xcu'), REGISTRY)
  const fonts = join(folder, 'fonts.conf')
  await writeFile(fonts, fontRules())
  // Loading sharp sets the variable to our own rules, which are for programs that combine the files of a family.
  const person = environmentText('FONTCONFIG_FILE')
  const isOurs = person === join(shippedFontsFolder(), 'fonts.conf')
  return { folder: profile, fonts: isOurs || person === '' ? fonts : person }
}

import { distilled } from '../../../src/media/pdf/distill.ts'
import { countAnnotations } from '../../../src/media/pdf/structure/annotation-list.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { checkArchival, stableMetadata } from './pdfa-convert/archival.ts'
import { keepLinks, removeForbidden, whatChanges } from './pdfa-convert/forbidden.ts'

/** The output intent: sRGB colours (ISO 19005-2, 6.2.3). */
const OUTPUT_INTENT = `%!
[/_objdef {profile} /type /stream /OBJ pdfmark
[{profile} << /N 3 >> /PUT pdfmark
[{profile} (%rom%iccprofiles/srgb.icc) (r) file /PUT pdfmark
[/_objdef {intent} /type /dict /OBJ pdfmark
[{intent} << /Type /OutputIntent /S /GTS_PDFA1 /DestOutputProfile {profile} /OutputConditionIdentifier (sRGB) >> /PUT pdfmark
[{Catalog} << /OutputIntents [ {intent} ] >> /PUT pdfmark
`

export default pdfTool({
  id: 'pdfa-convert',
  summary: 'Convert to archival PDF/A-2',
  suffix: 'pdfa',
  settings: {},
  output: { kind: 'file+report', type: { is: 'pdf' } },
  engines: ['mupdf', 'ghostscript'],
  timeoutS: 120,
  heavy: true,
  examples: [{ title: 'for an archive' }],
  async produce([document], _settings, { signal, warn }) {
    const changes = whatChanges(document)
    const wasEncrypted = document.isEncrypted
    const annotations = countAnnotations(document)
    keepLinks(document)
    const result = await distilled(document, {
      args: [
        '-dPDFA=2',
        '-dPDFACompatibilityPolicy=1',
        '-sColorConversionStrategy=RGB',
        '--permit-file-read=%rom%iccprofiles/',
      ],
      files: { 'intent.ps': OUTPUT_INTENT },
      encryption: 'none',
      // Debian's package has its profiles in another location.
      bundledOnly: true,
      signal,
    })
    // The removal is reported below; if there is none, requesting it would give the file a new identifier.
    if (wasEncrypted) result.target.encryption = 'none'
    removeForbidden(result)
    const lost = annotations - countAnnotations(result)
    if (lost > 0)
      changes.push(
        `${lost} ${lost === 1 ? 'annotation is' : 'annotations are'} removed: hidden, not printed, or of a type that PDF/A forbids`,
      )
    stableMetadata(result)
    checkArchival(result)
    for (const change of changes) warn(change)
    async function* converted() {
      yield { document: result }
    }
    // No PDF/A validator is available from npm or Debian: the report covers only what was checked here.
    return { documents: converted(), report: { changes, validated: false } }
  },
})

/** The guarantees of every PDF tool in the registry: covers a new tool without a line here. */
import { loadTool, scanTools } from '../../../src/tool/registry.ts'
import { useModelStubs } from '../../helpers/model-stubs.ts'
import { missingEngines, skipFor } from '../../helpers/promises/engines.ts'
import { describePdfTool, type PdfToolOptions } from '../../helpers/promises/pdf-tool.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

/** What a declaration does not contain, and what a tool does not guarantee, with the reason. */
const OPTIONS: Readonly<Record<string, PdfToolOptions>> = {
  'booklet-pdf': {
    except: {
      pages: 'pages share sheets',
      shape: 'pages share sheets',
      form: 'fields are content afterwards',
    },
  },
  'crop-pdf': { except: { shape: 'it crops pages' } },
  'export-form': { document: { formField: { name: 'town', value: 'Ulm' } } },
  'extract-attachments': { document: { attachment: { name: 'figures.csv', text: 'a,b' } } },
  'extract-pages': { settings: { range: '1-z' } },
  'fill-form': {
    document: { formField: { name: 'town', value: 'Ulm' } },
    settings: { values: '{}' },
  },
  'flatten-pdf': { except: { form: 'fields are content afterwards' } },
  'grayscale-pdf': { except: { form: 'fields are content afterwards' } },
  'multi-tool-pdf': {
    settings: { items: [1, 2, 3].map((page) => ({ doc: 0, page })), pageCounts: [3] },
    except: { outline: 'a plan is a new document' },
  },
  'nup-pdf': {
    except: {
      pages: 'pages share sheets',
      shape: 'pages share sheets',
      form: 'fields are content afterwards',
    },
  },
  'organize-pdf': { settings: { order: '1-z' } },
  'pdfa-convert': { except: { form: 'fields are content afterwards' } },
  'protect-pdf': {
    password: 'open sesame',
    settings: { userPassword: 'open sesame', ownerPassword: 'of the owner' },
    // Permission to annotate includes filling in forms.
    refused: { 'formFilling=false': 'INVALID_SETTINGS' },
  },
  'remove-pages': {
    settings: { pages: '2' },
    except: { pages: 'it removes pages', shape: 'it removes pages' },
  },
  'repair-pdf': { takes: { 'the first half of a file': 'it gives the pages that are left' } },
  'rotate-pdf': { except: { shape: 'it turns pages' } },
  'sign-certificate': { except: { encrypted: 'an encrypted document is not signed' } },
  // The sample has no bookmarks.
  'split-pdf': { settings: { range: '1-z' }, refused: { 'mode=bookmarks': 'TARGET_UNREACHABLE' } },
  'unlock-pdf': { lock: 'open sesame' },
}

useModelStubs(temporaryFolder())

for (const entry of await scanTools()) {
  if (entry.section !== 'pdf' || entry.base) continue
  const tool = await loadTool(entry)
  const missing = await missingEngines(tool)
  if (missing.length > 0) skipFor(tool, missing)
  else describePdfTool(tool, OPTIONS[entry.id])
}

/** Picture formats of workstations and games, for `mediaproc --plugin mediaproc-plugin-formats`. */
import { plugin } from 'mediaproc/tool'
import { blp } from './game/blp.ts'
import { ftex } from './game/ftex.ts'
import { pcx } from './pcx.ts'
import { pfm } from './pfm.ts'
import { sgi } from './sgi.ts'
import { xbm } from './xbm.ts'
import { xpm } from './xpm.ts'

export default plugin({ name: 'formats', formats: [sgi, pcx, pfm, xbm, xpm, blp, ftex] })

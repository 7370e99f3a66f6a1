import { testPastedPages } from '../../helpers/pasted-tools.ts'

testPastedPages('image')

import { addTexts } from '@/app/i18n'
import en from './arena.en.json'
import zhCN from './arena.zh-CN.json'

addTexts({ en, 'zh-CN': zhCN })

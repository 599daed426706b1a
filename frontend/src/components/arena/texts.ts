import { addTexts } from '@/i18n'
import en from '@/locales/arena.en.json'
import zhCN from '@/locales/arena.zh-CN.json'

addTexts({ en, 'zh-CN': zhCN })

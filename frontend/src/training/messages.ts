import { addTexts } from '@/i18n'
import en from '@/locales/training.en.json'
import zhCN from '@/locales/training.zh-CN.json'

/** The texts of the training pages come with these pages, not with the first load. */
export function addTrainingTexts(): void {
  addTexts({ en, 'zh-CN': zhCN })
}

import { addTexts } from '@/app/i18n'
import en from './training.en.json'
import zhCN from './training.zh-CN.json'

/** The texts of the training pages come with these pages, not with the first load. */
export function addTrainingTexts(): void {
  addTexts({ en, 'zh-CN': zhCN })
}

// Runs before the first paint, so that a dark page never flashes white and `lang` is right at once.
;(function () {
  var settings = {}
  try {
    settings = JSON.parse(localStorage.getItem('wuzi.settings') || '{}') || {}
  } catch {
    settings = {}
  }
  var root = document.documentElement
  var dark = matchMedia('(prefers-color-scheme: dark)').matches
  root.dataset.theme =
    settings.theme === 'light' || settings.theme === 'dark' ? settings.theme : dark ? 'dark' : 'light'
  var locale = settings.locale
  if (locale !== 'en' && locale !== 'zh-CN') locale = /^zh/i.test(navigator.language) ? 'zh-CN' : 'en'
  root.lang = locale
})()

import { createRouter, createWebHistory, type RouterHistory, type Router } from 'vue-router'

declare module 'vue-router' {
  interface RouteMeta {
    /** Key of the page's title. */
    title: string
  }
}

export function makeRouter(history: RouterHistory = createWebHistory()): Router {
  return createRouter({
    history,
    scrollBehavior: (_to, _from, saved) => saved ?? { top: 0 },
    routes: [
      { path: '/', name: 'home', component: () => import('@/features/home/HomeView.vue'), meta: { title: 'home.title' } },
      { path: '/play/:id', name: 'play', props: true, component: () => import('@/features/play/PlayView.vue'), meta: { title: 'play.title' } },
      { path: '/p/:code?', name: 'position', component: () => import('@/features/play/PositionView.vue'), meta: { title: 'position.title' } },
      { path: '/analysis/:code?', name: 'analysis', component: () => import('@/features/analysis/AnalysisView.vue'), meta: { title: 'analysis.title' } },
      { path: '/review', name: 'reviews', component: () => import('@/features/review/ReviewsView.vue'), meta: { title: 'review.title' } },
      { path: '/review/:id', name: 'review', props: true, component: () => import('@/features/review/ReviewView.vue'), meta: { title: 'review.title' } },
      { path: '/puzzles/:id?', name: 'puzzles', props: true, component: () => import('@/features/puzzles/PuzzlesView.vue'), meta: { title: 'puzzle.title' } },
      { path: '/training', name: 'training', component: () => import('@/features/training/TrainingView.vue'), meta: { title: 'nav.training' } },
      { path: '/training/:id', name: 'trainingRun', props: true, component: () => import('@/features/training/TrainingRunView.vue'), meta: { title: 'nav.training' } },
      { path: '/arena', name: 'arenas', component: () => import('@/features/arena/ArenasView.vue'), meta: { title: 'arena.title' } },
      { path: '/arena/:id', name: 'arena', props: true, component: () => import('@/features/arena/ArenaView.vue'), meta: { title: 'arena.title' } },
      { path: '/results/:id', name: 'results', props: true, component: () => import('@/features/arena/ResultsView.vue'), meta: { title: 'arena.title' } },
      { path: '/settings', name: 'settings', component: () => import('@/features/settings/SettingsView.vue'), meta: { title: 'settings.title' } },
      { path: '/help', name: 'help', component: () => import('./HelpView.vue'), meta: { title: 'help.title' } },
      { path: '/:rest(.*)*', name: 'missing', component: () => import('./MissingView.vue'), meta: { title: 'missing.title' } },
    ],
  })
}

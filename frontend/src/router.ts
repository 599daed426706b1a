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
      { path: '/', name: 'home', component: () => import('./views/HomeView.vue'), meta: { title: 'home.title' } },
      { path: '/play/:id', name: 'play', props: true, component: () => import('./views/PlayView.vue'), meta: { title: 'play.title' } },
      { path: '/p/:code?', name: 'position', component: () => import('./views/PositionView.vue'), meta: { title: 'position.title' } },
      { path: '/analysis/:code?', name: 'analysis', component: () => import('./views/AnalysisView.vue'), meta: { title: 'analysis.title' } },
      { path: '/review', name: 'reviews', component: () => import('./views/ReviewsView.vue'), meta: { title: 'review.title' } },
      { path: '/review/:id', name: 'review', props: true, component: () => import('./views/ReviewView.vue'), meta: { title: 'review.title' } },
      { path: '/puzzles/:id?', name: 'puzzles', props: true, component: () => import('./views/PuzzlesView.vue'), meta: { title: 'puzzle.title' } },
      { path: '/training', name: 'training', component: () => import('./views/TrainingView.vue'), meta: { title: 'nav.training' } },
      { path: '/training/:id', name: 'trainingRun', props: true, component: () => import('./views/TrainingRunView.vue'), meta: { title: 'nav.training' } },
      { path: '/arena', name: 'arenas', component: () => import('./views/ArenasView.vue'), meta: { title: 'arena.title' } },
      { path: '/arena/:id', name: 'arena', props: true, component: () => import('./views/ArenaView.vue'), meta: { title: 'arena.title' } },
      { path: '/results/:id', name: 'results', props: true, component: () => import('./views/ResultsView.vue'), meta: { title: 'arena.title' } },
      { path: '/settings', name: 'settings', component: () => import('./views/SettingsView.vue'), meta: { title: 'settings.title' } },
      { path: '/help', name: 'help', component: () => import('./views/HelpView.vue'), meta: { title: 'help.title' } },
      { path: '/:rest(.*)*', name: 'missing', component: () => import('./views/MissingView.vue'), meta: { title: 'missing.title' } },
    ],
  })
}

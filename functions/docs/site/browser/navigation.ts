import { all, one } from './dom';

/** The part of the window in which an operation is the one that is read. */
const READING = '-15% 0px -75% 0px';

/** Shows in the navigation which operation is read. On a phone the navigation is behind a button. */
export function startNavigation(): void {
  const menu = one<HTMLButtonElement>('.menu');
  const navigation = one('#navigation');
  menu.hidden = false;
  const show = (isShown: boolean) => {
    menu.setAttribute('aria-expanded', String(isShown));
    navigation.classList.toggle('shown', isShown);
  };
  document.documentElement.classList.add('scripted');
  menu.addEventListener('click', () => show(menu.getAttribute('aria-expanded') !== 'true'));
  navigation.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a')) show(false);
  });
  addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !navigation.classList.contains('shown')) return;
    show(false);
    menu.focus();
  });

  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const link = navigation.querySelector(`a[href="#${target.id}"]`);
        if (isIntersecting) link?.setAttribute('aria-current', 'location');
        else link?.removeAttribute('aria-current');
        if (isIntersecting && link) keepInSight(link, navigation);
      }
    },
    { rootMargin: READING },
  );
  for (const article of all('article')) observer.observe(article);
}

/** Scrolls the navigation alone, so that the page stays where it is. */
function keepInSight(link: Element, navigation: HTMLElement): void {
  const [place, window] = [link.getBoundingClientRect(), navigation.getBoundingClientRect()];
  if (place.top < window.top || place.bottom > window.bottom)
    navigation.scrollTop += place.top - window.top - window.height / 2;
}

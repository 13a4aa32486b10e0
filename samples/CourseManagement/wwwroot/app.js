// The page: reads the two lists, sends commands, and reads the lists again whenever the store has a new event.

const byId = id => document.getElementById(id);
const copyOf = template => byId(template).content.firstElementChild.cloneNode(true);

const plural = (count, what) => `${count} ${what}${count === 1 ? '' : 's'}`;

// Reading ---------------------------------------------------------------------------------------------------------------------

const pageSize = 20;
let position = 0;          // the last event that is known of; lists are asked to count it
let reading = false;
let readAgain = false;

async function refresh() {
  if (reading) {
    readAgain = true;
    return;
  }
  reading = true;
  do {
    readAgain = false;
    try {
      const full = document.querySelector('#filter input:checked').value;
      const [courses, students] = await Promise.all([
        readPage(courseList, '/api/courses', { after: position, ...(full && { full }) }),
        readPage(studentList, '/api/students', { after: position }),
      ]);
      showStudents(students);
      showCourses(courses, full);
      await Promise.all([...byId('courses').children].filter(isOpen).map(readStudentsOf));
    } catch (problem) {
      say(`The lists could not be read: ${problem.detail ?? problem.title}`);
    }
  } while (readAgain);
  reading = false;
}

// A page may have become one after the last; then the last one is shown.
async function readPage(list, address, query = {}, pageOf = answer => answer) {
  while (true) {
    const { search, skip } = list;
    const answer = await call('GET', `${address}?${new URLSearchParams({ ...query, search: search.value, skip, limit: pageSize })}`);
    const { total } = pageOf(answer);
    if (skip === 0 || skip < total)
      return answer;
    list.skip = Math.max(0, Math.ceil(total / pageSize) - 1) * pageSize;
  }
}

function follow() {
  const changes = new EventSource('/api/changes');
  changes.onopen = () => {
    // After a connection was lost, the store may be an older backup, with fewer events.
    position = 0;
    showConnection('live', 'Live');
  };
  changes.onerror = () => showConnection('lost', 'Connection lost, trying again…');
  changes.onmessage = message => {
    position = Math.max(position, Number(message.data));
    refresh();
  };
}

// Showing ---------------------------------------------------------------------------------------------------------------------

// A list of which one page is shown, with a field to search it and buttons to leaf through it.
function createList(element, search, what) {
  const list = { element, search, skip: 0 };
  const pager = copyOf('pager-template');
  const [previous, next] = pager.querySelectorAll('button');
  const move = (button, by) => {
    if (button.ariaDisabled === 'true')
      return;
    list.skip += by;
    refresh();
  };
  previous.onclick = () => move(previous, -pageSize);
  next.onclick = () => move(next, pageSize);
  search.oninput = () => {
    list.skip = 0;
    refresh();
  };
  element.after(pager);

  // The buttons stay where they are at the ends of the list, so that focus stays on them.
  list.showPager = total => {
    const last = Math.min(list.skip + pageSize, total);
    pager.hidden = total === 0 && !search.value;
    pager.ariaLabel = `Pages of ${what}s`;
    pager.querySelector('.range').textContent = total > pageSize ? `${list.skip + 1}–${last} of ${plural(total, what)}` : plural(total, what);
    previous.ariaDisabled = String(list.skip === 0);
    next.ariaDisabled = String(last >= total);
    previous.hidden = next.hidden = total <= pageSize && !pager.contains(document.activeElement);
  };
  return list;
}

// Keeps the elements of what stays, so that a refresh takes away neither focus nor what has been typed. Where the element with the focus
// goes, the focus moves to the same place of the next one, or to what names the list.
function showList(list, items, keyOf, create, update) {
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  const at = [...list.children].findIndex(element => element.contains(focused));
  const known = new Map([...list.children].map(element => [element.dataset.key, element]));
  items.forEach((item, index) => {
    const key = keyOf(item);
    const element = known.get(key) ?? create(item);
    known.delete(key);
    element.dataset.key = key;
    update(element, item);
    if (list.children[index] !== element)
      list.insertBefore(element, list.children[index] ?? null);
  });
  known.forEach(element => element.remove());
  if (focused?.isConnected) {
    focused.focus();
  } else if (focused) {
    const next = list.children[Math.min(at, list.children.length - 1)];
    (next?.querySelector('button, summary') ?? list.closest('details, section').querySelector('summary, h2')).focus();
  }
}

function showCourses({ total, items }, full) {
  showList(byId('courses'), items, course => course.courseId, createCourse, (element, course) => {
    // The seats of an open course are shown together with its students, from one answer.
    if (!isOpen(element))
      updateCourse(element, course);
  });
  courseList.showPager(total);
  byId('no-courses').hidden = total > 0;
  byId('no-courses').textContent = courseList.search.value ? 'No course matches.'
    : { true: 'No course is full.', false: 'No course has a free seat.' }[full] ?? 'No course is defined yet.';
}

function createCourse({ courseId }) {
  const element = copyOf('course-template');
  const address = `/api/courses/${courseId}`;
  const titleOf = () => element.querySelector('.title').textContent;
  onSubmit(element.querySelector('.subscribe'), async ({ studentId }) => {
    const student = await findStudent(studentId);
    await command('POST', `${address}/subscriptions`, { studentId: student.studentId }, `${student.name} is subscribed to ${titleOf()}.`);
  });
  onSubmit(element.querySelector('.capacity'), async ({ capacity }) => {
    await command('PUT', `${address}/capacity`, { capacity: Number(capacity) }, `${titleOf()} has ${plural(Number(capacity), 'seat')} now.`);
  });
  const choice = element.querySelector('.subscribe input');
  choice.oninput = choice.onfocus = () => offerStudents(choice.value);
  const taking = element.querySelector('.taking');
  element.students = createList(element.querySelector('.members'), taking.querySelector('.search'), 'student');
  taking.ontoggle = () => taking.open && refresh();
  return element;
}

const isOpen = element => element.querySelector('.taking').open;

function updateCourse(element, { courseId, title, capacity, subscribed, isFull }) {
  element.classList.toggle('full', isFull);
  element.querySelector('.title').textContent = title;
  element.querySelector('.id').textContent = courseId;
  element.querySelector('.badge').textContent = isFull ? 'Full' : `${capacity - subscribed} free`;
  element.querySelector('.fill').style.width = `${Math.min(100, 100 * subscribed / capacity)}%`;
  element.querySelector('.seats-text').textContent = `${subscribed} of ${plural(capacity, 'seat')} taken`;
  element.querySelector('.capacity input').placeholder = capacity;
  element.querySelector('summary').ariaLabel = `Students of ${title}`;
  element.querySelector('.taking .search').hidden = subscribed <= pageSize && !element.students.search.value;
}

async function readStudentsOf(element) {
  const courseId = element.dataset.key;
  const { course, students } = await readPage(element.students, `/api/courses/${courseId}`, {}, answer => answer.students);
  updateCourse(element, course);
  showList(element.querySelector('.members'), students.items, student => student.studentId, student => createMember(element, courseId, student), updateName);
  element.students.showPager(students.total);
}

function createMember(course, courseId, { studentId, name }) {
  const element = copyOf('member-template');
  const button = element.querySelector('button');
  const title = course.querySelector('.title').textContent;
  button.ariaLabel = `Unsubscribe ${name} from ${title}`;
  button.title = 'Unsubscribe';
  button.onclick = () => attempt(course.querySelector('.actions'), [button], () =>
    command('DELETE', `/api/courses/${courseId}/subscriptions/${studentId}`, undefined, `${name} has left ${title}.`));
  return element;
}

function updateName(element, { name }) {
  element.querySelector('.name').textContent = name;
}

function showStudents({ total, items }) {
  showList(byId('students'), items, student => student.studentId, () => copyOf('student-template'), (element, student) => {
    updateName(element, student);
    element.querySelector('.id').textContent = student.studentId;
    element.querySelector('.count').textContent = plural(student.courseIds.length, 'course');
  });
  studentList.showPager(total);
  byId('no-students').hidden = total > 0;
  byId('no-students').textContent = studentList.search.value ? 'No student matches.' : 'No student is registered yet.';
}

// Students to choose from, for what has been typed so far. A slow answer does not replace that to a later question.
let questions = 0;
async function offerStudents(text) {
  const question = ++questions;
  const { items } = await searchStudents(text).catch(() => ({ items: [] }));
  if (question === questions)
    byId('student-choices').replaceChildren(...items.map(({ studentId, name }) => new Option(name, studentId)));
}

// The student with this id, or the only one with this name.
async function findStudent(text) {
  const wanted = text.trim();
  const { items } = wanted ? await searchStudents(wanted) : { items: [] };
  const named = items.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  return items.find(({ studentId }) => studentId === wanted) ?? (named.length === 1 ? named[0] : { studentId: wanted, name: wanted });
}

const searchStudents = text => call('GET', `/api/students?${new URLSearchParams({ search: text.trim(), limit: 100 })}`);

function showConnection(state, text) {
  byId('connection').dataset.state = state;
  byId('connection').textContent = text;
}

let silence;
function say(text) {
  byId('news').textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => { byId('news').textContent = ''; }, 5000);
}

// Commands --------------------------------------------------------------------------------------------------------------------

function onSubmit(form, send) {
  form.addEventListener('submit', event => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(form));
    attempt(form, [...form.querySelectorAll('button')], async () => {
      await send(values);
      form.reset();
    });
  });
}

// Shows a problem where the command was given, and beside the fields that it names. A button that waits for the answer keeps the focus, so it
// is not disabled but does nothing.
async function attempt(place, buttons, action) {
  if (buttons.some(button => button.ariaDisabled === 'true'))
    return;
  place.querySelectorAll('.problem, .wrong').forEach(old => old.remove());
  place.querySelectorAll('[aria-invalid]').forEach(input => {
    input.removeAttribute('aria-invalid');
    input.removeAttribute('aria-describedby');
  });
  buttons.forEach(button => { button.ariaDisabled = 'true'; });
  try {
    await action();
  } catch (problem) {
    showProblem(place, problem);
  } finally {
    buttons.forEach(button => { button.ariaDisabled = null; });
  }
}

let problems = 0;
function showProblem(place, { title, detail, errors = {} }) {
  const elsewhere = [];
  let first;
  for (const [field, messages] of Object.entries(errors)) {
    const input = [...place.querySelectorAll('input')].find(each => each.name.toLowerCase() === field.toLowerCase());
    if (!input) {
      elsewhere.push(...messages);
      continue;
    }
    const wrong = textElement('span', 'wrong', messages.join(' '));
    wrong.id = `wrong-${++problems}`;
    input.setAttribute('aria-invalid', 'true');
    input.setAttribute('aria-describedby', wrong.id);
    input.after(wrong);
    first ??= input;
  }
  if (!first || elsewhere.length > 0) {
    const problem = textElement('p', 'problem', [title, detail, ...elsewhere].filter(Boolean).join(': '));
    problem.setAttribute('role', 'alert');
    place.append(problem);
  }
  first?.focus();
}

function textElement(name, className, text) {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}

async function command(method, path, body, done) {
  const recorded = await call(method, path, body);
  position = Math.max(position, recorded.position);
  say(done);
  await refresh();
}

// Throws problem details, also when there is no answer.
async function call(method, path, body) {
  let response;
  try {
    response = await fetch(path, { method, body: body && JSON.stringify(body), headers: body && { 'Content-Type': 'application/json' } });
  } catch {
    throw { title: 'No answer', detail: 'The server cannot be reached.' };
  }
  const isJson = response.headers.get('Content-Type')?.includes('json');
  const answer = isJson ? await response.json() : {};
  if (!response.ok)
    throw { title: `Error ${response.status}`, ...answer };
  return answer;
}

onSubmit(byId('define'), async ({ courseId, title, capacity }) => {
  await command('POST', '/api/courses', { courseId, title, capacity: Number(capacity) }, `${title} is defined.`);
});
onSubmit(byId('register'), async ({ studentId, name }) => {
  await command('POST', '/api/students', { studentId, name }, `${name} is registered.`);
});
const courseList = createList(byId('courses'), byId('search-courses'), 'course');
const studentList = createList(byId('students'), byId('search-students'), 'student');
byId('filter').addEventListener('change', () => {
  courseList.skip = 0;
  refresh();
});
follow();

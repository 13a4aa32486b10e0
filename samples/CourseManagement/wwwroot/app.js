// The page: reads the two lists, sends commands, and reads the lists again whenever the store has a new event.

const byId = id => document.getElementById(id);
const copyOf = template => byId(template).content.firstElementChild.cloneNode(true);

// Reading ---------------------------------------------------------------------------------------------------------------------

let position = 0;          // the last event that is known of; lists are asked to count it
let reading = false;
let readAgain = false;
let students = [];

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
      const [courses, all] = await Promise.all([
        call('GET', `/api/courses?after=${position}${full && `&full=${full}`}`),
        call('GET', `/api/students?after=${position}`),
      ]);
      students = all;
      showStudents();
      showCourses(courses, full);
    } catch (problem) {
      say(`The lists could not be read: ${problem.detail ?? problem.title}`);
    }
  } while (readAgain);
  reading = false;
}

function follow() {
  const changes = new EventSource('/api/changes');
  changes.onopen = () => showConnection('live', 'Live');
  changes.onerror = () => showConnection('lost', 'Connection lost, trying again…');
  changes.onmessage = message => {
    position = Math.max(position, Number(message.data));
    refresh();
  };
}

// Showing ---------------------------------------------------------------------------------------------------------------------

// Keeps the elements of what stays, so that a refresh takes away neither focus nor what has been typed.
function showList(list, items, keyOf, create, update) {
  const known = new Map([...list.children].map(element => [element.dataset.key, element]));
  items.forEach((item, at) => {
    const key = keyOf(item);
    const element = known.get(key) ?? create(item);
    known.delete(key);
    element.dataset.key = key;
    update(element, item);
    if (list.children[at] !== element)
      list.insertBefore(element, list.children[at] ?? null);
  });
  known.forEach(element => element.remove());
}

function showCourses(courses, full) {
  showList(byId('courses'), courses, course => course.courseId, createCourse, updateCourse);
  byId('no-courses').hidden = courses.length > 0;
  byId('no-courses').textContent = { true: 'No course is full.', false: 'No course has a free seat.' }[full] ?? 'No course is defined yet.';
}

function createCourse({ courseId }) {
  const element = copyOf('course-template');
  const address = `/api/courses/${courseId}`;
  const titleOf = () => element.querySelector('.title').textContent;
  onSubmit(element.querySelector('.subscribe'), async ({ studentId }) => {
    await command('POST', `${address}/subscriptions`, { studentId }, `${nameOf(studentId)} is subscribed to ${titleOf()}.`);
  });
  onSubmit(element.querySelector('.capacity'), async ({ capacity }) => {
    await command('PUT', `${address}/capacity`, { capacity: Number(capacity) }, `${titleOf()} has ${capacity} seats now.`);
  });
  return element;
}

function updateCourse(element, { courseId, title, capacity, subscribed, isFull }) {
  element.classList.toggle('full', isFull);
  element.querySelector('.title').textContent = title;
  element.querySelector('.id').textContent = courseId;
  element.querySelector('.badge').textContent = isFull ? 'Full' : `${capacity - subscribed} free`;
  element.querySelector('.fill').style.width = `${Math.min(100, 100 * subscribed / capacity)}%`;
  element.querySelector('.seats-text').textContent = `${subscribed} of ${capacity} seats taken`;
  element.querySelector('.capacity input').placeholder = capacity;

  const members = students.filter(student => student.courseIds.includes(courseId));
  showList(element.querySelector('.members'), members, student => student.studentId, student => createMember(element, courseId, student), updateName);

  const others = students.filter(student => !student.courseIds.includes(courseId));
  const choice = element.querySelector('select');
  showList(choice, [{ studentId: '', name: 'Choose a student…' }, ...others], student => student.studentId, () => new Option(), (option, student) => {
    option.value = student.studentId;
    option.textContent = student.name;
  });
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

function showStudents() {
  showList(byId('students'), students, student => student.studentId, () => copyOf('student-template'), (element, student) => {
    updateName(element, student);
    element.querySelector('.id').textContent = student.studentId;
    element.querySelector('.count').textContent = student.courseIds.length === 1 ? '1 course' : `${student.courseIds.length} courses`;
  });
  byId('no-students').hidden = students.length > 0;
}

const nameOf = studentId => students.find(student => student.studentId === studentId)?.name ?? studentId;

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
    attempt(form, form.querySelectorAll('button'), async () => {
      await send(values);
      form.reset();
    });
  });
}

// Shows a problem where the command was given, and beside the fields that it names.
async function attempt(place, buttons, action) {
  place.querySelectorAll('.problem, .wrong').forEach(old => old.remove());
  place.querySelectorAll('[aria-invalid]').forEach(input => {
    input.removeAttribute('aria-invalid');
    input.removeAttribute('aria-describedby');
  });
  buttons.forEach(button => { button.disabled = true; });
  try {
    await action();
  } catch (problem) {
    showProblem(place, problem);
  } finally {
    buttons.forEach(button => { button.disabled = false; });
  }
}

let problems = 0;
function showProblem(place, { title, detail, errors = {} }) {
  const elsewhere = [];
  let first;
  for (const [field, messages] of Object.entries(errors)) {
    const input = [...place.querySelectorAll('input, select')].find(each => each.name.toLowerCase() === field.toLowerCase());
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
byId('filter').addEventListener('change', refresh);
follow();

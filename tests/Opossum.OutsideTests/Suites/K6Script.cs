using System.Collections.Concurrent;
using System.Diagnostics;
using System.Text;
using System.Text.Json;
using Jint;

namespace Opossum.Tests.Suites;

/// <summary>
/// Runs a script of k6 as k6 does: each user has an interpreter and a thread of its own, and scenarios that start at one
/// time run together, after all that start earlier. It has as much of k6 as the scripts of dcb.events use.
/// </summary>
internal sealed class K6Script(string text, string folder, HttpClient client)
{
    private const string Modules = """
        class Metric { constructor(name) { this.name = name } add(value) { k6.Add(this.name, Number(value)) } }
        const respond = answer => ({ status: answer.status, body: answer.body, json: () => JSON.parse(answer.body) })
        const modules = {
            'k6': {
                check(value, checks) { for (const name in checks) k6.Check(name, Boolean(checks[name](value))) },
                fail(message) { throw new Error(message) },
                randomSeed() {},
            },
            'k6/http': { get: url => respond(k6.Get(url)), post: (url, body) => respond(k6.Post(url, body)) },
            'k6/metrics': { Trend: Metric, Counter: Metric, Rate: Metric },
            'k6/execution': {
                scenario: { get iterationInTest() { return user.Iteration } },
                vu: { get idInInstance() { return user.Number }, get iterationInInstance() { return user.Iteration } },
            },
            'k6/experimental/redis': {
                Client: class {
                    async del(key) { k6.Remove(key) }
                    async rpush(key, value) { k6.Push(key, value) }
                    async lrange(key) { return JSON.parse(k6.List(key)) }
                },
            },
        }
        const console = { log() {}, error(message) { k6.Say(message) } }
        const __ENV = { BASE_URI: k6.Address, REDIS_DSN: 'none' }
        function require(name) { return modules[name] ?? load(k6.Read(name)) }
        function load(text) {
            const module = { exports: {} }
            new Function('module', 'exports', 'require', text)(module, module.exports, require)
            return module.exports
        }
        const script = load(k6.Text)
        """;

    private readonly ConcurrentDictionary<string, ConcurrentQueue<string>> lists = new();
    private readonly ConcurrentDictionary<string, (int Count, double Sum)> counts = new();

    public string Text => text;

    public string Address => client.BaseAddress!.OriginalString;

    /// <summary>How often each check was made, and how often it passed; each metric: how many values it has, and their sum.</summary>
    public IReadOnlyDictionary<string, (int Count, double Sum)> Counts => counts;

    /// <summary>What the script calls an error, and what it threw.</summary>
    public ConcurrentQueue<string> Errors { get; } = [];

    public void Run()
    {
        var first = Open(new User(0));
        first.Evaluate("script.setup?.()").UnwrapIfPromise();
        var options = JsonSerializer.Deserialize<Scenario>(first.Evaluate("JSON.stringify(script.options)").AsString(),
            JsonSerializerOptions.Web)!;
        var scenarios = options.Scenarios?.Values.ToArray() ?? [options];
        foreach (var together in scenarios.GroupBy(static scenario => Scenario.Seconds(scenario.StartTime))
            .OrderBy(static group => group.Key))
        {
            var users = together.SelectMany(static scenario => Enumerable.Repeat(scenario, scenario.Vus))
                .Select((scenario, at) => new Thread(() => Iterate(scenario, new User(at + 1)))).ToList();
            users.ForEach(static user => user.Start());
            users.ForEach(static user => user.Join());
        }
    }

    public object Get(string url) => Send(new HttpRequestMessage(HttpMethod.Get, url));

    public object Post(string url, string body) =>
        Send(new HttpRequestMessage(HttpMethod.Post, url) { Content = new StringContent(body, Encoding.UTF8, "application/json") });

    public void Check(string name, bool passed) => Add(name, passed ? 1 : 0);

    public void Add(string name, double value) =>
        counts.AddOrUpdate(name, (1, value), (_, before) => (before.Count + 1, before.Sum + value));

    public void Say(string message) => Errors.Enqueue(message);

    public string Read(string name) => File.ReadAllText(Path.Combine(folder, name));

    public void Remove(string key) => lists.TryRemove(key, out _);

    public void Push(string key, string value) => lists.GetOrAdd(key, static _ => []).Enqueue(value);

    public string List(string key) => JsonSerializer.Serialize(lists.GetValueOrDefault(key) ?? []);

    private void Iterate(Scenario scenario, User user)
    {
        try
        {
            var engine = Open(user);
            var began = Stopwatch.StartNew();
            while (scenario.Next(user, began.Elapsed))
                engine.Evaluate($"script.{scenario.Exec}()").UnwrapIfPromise();
        }
        catch (Exception e)
        {
            Errors.Enqueue(e.Message);
        }
    }

    private Engine Open(User user) => new Engine().SetValue("k6", this).SetValue("user", user).Execute(Modules);

    private object Send(HttpRequestMessage request)
    {
        using var response = client.Send(request);
        using var reader = new StreamReader(response.Content.ReadAsStream());
        return new { status = (int)response.StatusCode, body = reader.ReadToEnd() };
    }

    private sealed class User(int number)
    {
        public int Number => number;

        public int Iteration { get; set; } = -1;
    }

    // Iterations are shared by the users of a scenario; without a number of them, each iterates for a time.
    private sealed record Scenario(Dictionary<string, Scenario>? Scenarios, string? StartTime, string? Duration, int? Iterations, int Vus = 1,
        string Exec = "default")
    {
        private int begun;

        public bool Next(User user, TimeSpan elapsed)
        {
            user.Iteration = Iterations is null ? user.Iteration + 1 : Interlocked.Increment(ref begun) - 1;
            return Iterations is { } most ? user.Iteration < most : elapsed.TotalSeconds < Seconds(Duration);
        }

        public static int Seconds(string? text) => int.Parse(text?.TrimEnd('s') ?? "0");
    }
}

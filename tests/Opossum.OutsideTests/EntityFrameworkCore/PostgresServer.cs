using System.Diagnostics;

namespace Opossum.EntityFrameworkCoreTests;

/// <summary>A PostgreSQL of its own for a class of tests, by a socket in a temporary folder. It refuses root, so root starts it as nobody.</summary>
public sealed class PostgresServer : IDisposable
{
    private const string Programs = "/usr/lib/postgresql/15/bin";

    private readonly string folder = Directory.CreateTempSubdirectory("opossum-postgres-").FullName;
    private readonly Process? server;

    public PostgresServer()
    {
        if (!LongTests.AreAsked || !File.Exists($"{Programs}/initdb"))
            return;
        if (Environment.IsPrivilegedProcess)
            Run("chown", "nobody:nogroup", folder);
        Run([.. AsNobody, $"{Programs}/initdb", "-D", Data, "-U", "opossum", "--auth=trust", "-E", "UTF8"]);
        server = Start([.. AsNobody, $"{Programs}/postgres", "-D", Data, "-k", folder, "-c", "listen_addresses="]);
        // It says so on its error output; a reader takes what follows.
        while (server.StandardError.ReadLine() is { } line && !line.Contains("ready to accept connections", StringComparison.Ordinal))
        {
        }
        _ = server.StandardError.ReadToEndAsync();
    }

    public bool IsThere => server is not null;

    public string ConnectionTo(string database) => $"Host={folder};Username=opossum;Database={database}";

    public void Dispose()
    {
        if (server is not null)
        {
            server.Kill(entireProcessTree: true);
            server.WaitForExit();
            server.Dispose();
        }
        Directory.Delete(folder, recursive: true);
    }

    private string Data => Path.Combine(folder, "data");

    private static string[] AsNobody => Environment.IsPrivilegedProcess
        ? ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] : [];

    private static void Run(params string[] command)
    {
        using var process = Start(command);
        var output = process.StandardOutput.ReadToEndAsync();
        var errors = process.StandardError.ReadToEnd();
        process.WaitForExit();
        Assert.True(process.ExitCode == 0, $"{string.Join(' ', command)}: {output.Result} {errors}");
    }

    private static Process Start(string[] command) => Process.Start(new ProcessStartInfo(command[0], command[1..])
    {
        RedirectStandardOutput = true,
        RedirectStandardError = true,
        WorkingDirectory = "/",
    })!;
}

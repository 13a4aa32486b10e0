using System.Diagnostics;
using System.Globalization;

namespace Opossum.EntityFrameworkCoreTests;

/// <summary>
/// A PostgreSQL of its own for a class of tests, of the newest version that Debian's packages have brought, by a socket in a temporary folder. It
/// refuses root, so root starts it as nobody.
/// </summary>
public sealed class PostgresServer : IDisposable
{
    /// <summary>Why tests are skipped without it.</summary>
    public const string Reason = "PostgreSQL is not here: apt-get install postgresql.";

    private const string Versions = "/usr/lib/postgresql";

    private readonly string folder = Directory.CreateTempSubdirectory("opossum-postgres-").FullName;
    private readonly Process? server;

    public PostgresServer()
    {
        if (!LongTests.AreAsked || FindPrograms() is not { } programs)
            return;
        if (Environment.IsPrivilegedProcess)
            Run("chown", "nobody:nogroup", folder);
        Run([.. AsNobody, $"{programs}/initdb", "-D", Data, "-U", "opossum", "--auth=trust", "-E", "UTF8"]);
        server = Start([.. AsNobody, $"{programs}/postgres", "-D", Data, "-k", folder, "-c", "listen_addresses="]);
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

    private static string? FindPrograms() => !Directory.Exists(Versions) ? null : Directory.GetDirectories(Versions)
        .Where(static each => File.Exists($"{each}/bin/initdb"))
        .OrderBy(static each => double.Parse(Path.GetFileName(each), CultureInfo.InvariantCulture))
        .Select(static each => $"{each}/bin").LastOrDefault();

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

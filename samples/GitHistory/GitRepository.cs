using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Text;

namespace GitHistory;

/// <summary>A repository, read through the git program.</summary>
internal sealed class GitRepository
{
    private readonly string path;

    private GitRepository(string path, string folder)
    {
        this.path = path;
        Folder = folder;
    }

    /// <summary>The folder that holds the repository's data; the same for all of its worktrees.</summary>
    public string Folder { get; }

    /// <summary>Finds the repository that a folder belongs to.</summary>
    /// <exception cref="GitException">Git is missing, or the folder does not belong to a repository.</exception>
    public static async Task<GitRepository> FindAsync(string path, CancellationToken cancellationToken) =>
        new(path, await AskAsync(path, ["rev-parse", "--path-format=absolute", "--git-common-dir"], cancellationToken));

    /// <summary>The commit that is checked out, from which the history is followed.</summary>
    /// <exception cref="GitException">There is none yet, or the repository is broken.</exception>
    public Task<string> GetHeadAsync(CancellationToken cancellationToken) =>
        AskAsync(path, ["log", "-1", "--no-show-signature", "--format=%H"], cancellationToken);

    /// <summary>Counts the commits that lead to a commit, including itself.</summary>
    public async Task<long> CountAsync(string head, CancellationToken cancellationToken) =>
        long.Parse(await AskAsync(path, ["rev-list", "--count", head], cancellationToken), CultureInfo.InvariantCulture);

    /// <summary>Whether the repository holds a commit, whether or not a branch leads to it.</summary>
    public async Task<bool> HoldsAsync(string sha, CancellationToken cancellationToken)
    {
        using var git = Start(path, ["cat-file", "-e", $"{sha}^{{commit}}"]);
        var errors = git.StandardError.ReadToEndAsync(cancellationToken);
        await git.StandardOutput.ReadToEndAsync(cancellationToken);
        await errors;
        await git.WaitForExitAsync(cancellationToken);
        return git.ExitCode == 0;
    }

    /// <summary>Whether the history has been cut off, by <c>git clone --depth</c>.</summary>
    public async Task<bool> IsShallowAsync(CancellationToken cancellationToken) =>
        await AskAsync(path, ["rev-parse", "--is-shallow-repository"], cancellationToken) == "true";

    /// <summary>
    /// Returns the names of the commits that lead to a commit, oldest first: each after its parents. Names alone are cheap: git does not compare
    /// files for them.
    /// </summary>
    /// <exception cref="GitException">Git failed after the returned names.</exception>
    public async IAsyncEnumerable<string> ListAsync(string head, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        using var git = Start(path, ["rev-list", "--reverse", "--topo-order", head, "--"]);
        try
        {
            var errors = git.StandardError.ReadToEndAsync(cancellationToken);
            while (await git.StandardOutput.ReadLineAsync(cancellationToken) is { } sha)
                yield return sha;
            await EndAsync(git, errors, cancellationToken);
        }
        finally
        {
            Stop(git);
        }
    }

    /// <summary>Returns the commits with these names, in this order.</summary>
    /// <exception cref="GitException">Git failed after the returned commits.</exception>
    public async IAsyncEnumerable<CommitImported> LogAsync(IReadOnlyCollection<string> shas,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        using var git = Start(path, GitLog.Arguments);
        try
        {
            var errors = git.StandardError.ReadToEndAsync(cancellationToken);
            await SayAsync(git, shas, cancellationToken);
            await foreach (var commit in GitLog.ReadAsync(git.StandardOutput.BaseStream, cancellationToken))
                yield return commit;
            await EndAsync(git, errors, cancellationToken);
        }
        finally
        {
            Stop(git);
        }
    }

    /// <summary>The default folder for this repository's store: with the user's data, not in the repository.</summary>
    public string DefaultStore()
    {
        var data = Environment.GetFolderPath(Environment.SpecialFolder.LocalApplicationData, Environment.SpecialFolderOption.DoNotVerify);
        if (data.Length == 0)
            data = Path.GetTempPath();
        var folder = Folder.TrimEnd('/', '\\');
        var name = Path.GetFileName(Path.GetFileName(folder) == ".git" ? Path.GetDirectoryName(folder) : folder) ?? "";
        var safeName = string.Concat(name.Select(letter => char.IsAsciiLetterOrDigit(letter) || letter is '-' or '_' ? letter : '_').Take(40));
        // Two repositories with the same name have two stores.
        var hash = Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(folder)))[..8];
        return Path.Combine(data, "Opossum", "GitHistory", $"{safeName}-{hash}");
    }

    private static async Task<string> AskAsync(string path, IEnumerable<string> arguments, CancellationToken cancellationToken)
    {
        using var git = Start(path, arguments);
        var errors = git.StandardError.ReadToEndAsync(cancellationToken);
        var answer = await git.StandardOutput.ReadToEndAsync(cancellationToken);
        await EndAsync(git, errors, cancellationToken);
        return answer.TrimEnd('\n', '\r');
    }

    private static Process Start(string path, IEnumerable<string> arguments)
    {
        var start = new ProcessStartInfo("git", ["--no-pager", "-C", path, .. arguments])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            StandardErrorEncoding = Encoding.UTF8,
            StandardOutputEncoding = Encoding.UTF8,
        };
        try
        {
            return Process.Start(start)!;
        }
        catch (Win32Exception e)
        {
            throw new GitException("The program git cannot be started. Is it installed, and in the PATH?", e);
        }
    }

    // Git reads all of its input before it writes anything.
    private static async Task SayAsync(Process git, IEnumerable<string> lines, CancellationToken cancellationToken)
    {
        try
        {
            foreach (var line in lines)
                await git.StandardInput.WriteAsync($"{line}\n".AsMemory(), cancellationToken);
            git.StandardInput.Close();
        }
        catch (IOException)
        {
            // Git has ended early. What it says on its end is reported.
        }
    }

    // The caller may stop before the end.
    private static void Stop(Process git)
    {
        if (!git.HasExited)
            git.Kill();
    }

    private static async Task EndAsync(Process git, Task<string> errors, CancellationToken cancellationToken)
    {
        var said = await errors;
        await git.WaitForExitAsync(cancellationToken);
        if (git.ExitCode != 0)
            throw new GitException(said.Trim() is { Length: > 0 } message ? message : $"Git ended with exit code {git.ExitCode}.");
    }
}
